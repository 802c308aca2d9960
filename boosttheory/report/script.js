"use strict";
// Sorting is an addition: without this script the tables are whole, in the order of the ledger.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const keyed = [...body.rows].map((row) => {
        const cell = row.cells[column];
        const key = cell.dataset.sort ?? cell.textContent.trim();
        return [key === "" || isNaN(key) ? key : Number(key), row];
      });
      keyed.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(b);
        return up ? order : -order;
      });
      body.remove(); // rows are moved outside of the page, where moving costs no layout
      body.append(...keyed.map(([, row]) => row));
      table.append(body);
    });
  });
}
// What scrolls sideways can be reached and scrolled with the keyboard.
for (const box of document.querySelectorAll(".scroll")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
