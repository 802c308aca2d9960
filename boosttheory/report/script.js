"use strict";
// All of this is an addition: without the script the page is whole, its table in the order of the ledger.
const table = document.querySelector("table.sortable");
if (table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const keys = new Map();
  const keysOf = (column) => {
    if (!keys.has(column)) {
      const read = (row) => {
        const cell = row.cells[column];
        const key = cell.dataset.sort ?? cell.textContent.trim();
        return key === "" || isNaN(key) ? key : Number(key);
      };
      keys.set(column, new Map(rows.map((row) => [row, read(row)])));
    }
    return keys.get(column);
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = keysOf(column);
      rows.sort((p, q) => {
        const [a, b] = [key.get(p), key.get(q)];
        if (a === "" || b === "") return (a === "") - (b === "");
        return up ? compare(a, b) : compare(b, a);
      });
      body.replaceChildren(); // moving rows from one order to another within the table takes quadratic time
      body.append(...rows);
    });
  });

  const form = document.createElement("form");
  form.className = "filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Filter the claims");
  const field = (name, control) => {
    const label = document.createElement("label");
    label.append(name, control);
    form.append(label);
    control.addEventListener("input", () => apply());
    return control;
  };
  const words = Object.assign(document.createElement("input"), { type: "search" });
  field("Words", words);
  const chosen = ["paper", "kind", "verdict", "tightness"].map((name) => {
    const values = new Set(rows.flatMap((row) => row.dataset[name].split("|")));
    const select = document.createElement("select");
    select.append(new Option("all", ""), ...[...values].map((value) => new Option(value, value)));
    return [name, field(name[0].toUpperCase() + name.slice(1), select)];
  });
  const count = document.createElement("output");
  form.append(count);
  const texts = rows.map((row) => [row, row.textContent.toLowerCase()]);
  const apply = () => {
    const sought = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of texts) {
      const picked = chosen.every(([name, { value }]) => !value || row.dataset[name].split("|").includes(value));
      row.hidden = !picked || !sought.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} claims`;
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("list").before(form);
}
// In the graph the claim that is pointed at stands out with all that it touches.
for (const drawing of document.querySelectorAll(".dag")) {
  const light = (event) => {
    const node = event.type === "mouseout" || event.type === "focusout" ? null : event.target.closest("a");
    drawing.classList.toggle("lit", node !== null);
    for (const lit of drawing.querySelectorAll(".near")) lit.classList.remove("near");
    if (node === null) return;
    const near = new Set([node.dataset.node]);
    for (const edge of drawing.querySelectorAll(".edge")) {
      const { from, to } = edge.dataset;
      if (from === node.dataset.node || to === node.dataset.node) {
        edge.classList.add("near");
        near.add(from).add(to);
      }
    }
    for (const other of drawing.querySelectorAll("a")) other.classList.toggle("near", near.has(other.dataset.node));
  };
  for (const kind of ["mouseover", "mouseout", "focusin", "focusout"]) drawing.addEventListener(kind, light);
}
// What scrolls sideways can be reached and scrolled with the keyboard.
const boxes = new ResizeObserver((changed) => {
  const wide = changed.filter(({ target }) => target.scrollWidth > target.clientWidth);
  for (const { target } of wide) target.tabIndex = 0;
});
for (const box of document.querySelectorAll(".scroll, .statement, .assumes div")) boxes.observe(box);
