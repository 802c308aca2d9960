"""Chromium by its debugging pipe: one page, driven by a test, without any further package."""

import base64
import json
import os
import shutil
import subprocess
import sys
import time

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# the browser reads its orders from descriptor 3 and answers on 4
START = """
import os, sys
orders, answers = map(int, sys.argv[1:3])
os.dup2(orders, 13); os.dup2(answers, 14); os.dup2(13, 3); os.dup2(14, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
)  # fmt: skip


class Chrome:
    """A headless browser with one page; what it reports meanwhile is kept in ``events``."""

    def __init__(self, profile):
        orders, out = os.pipe()
        back, answers = os.pipe()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                START,
                str(orders),
                str(answers),
                PROGRAM,
                *OPTIONS,
                f"--user-data-dir={profile}",
            ],
            pass_fds=(orders, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(orders)
        os.close(answers)
        self.writer, self.reader = os.fdopen(out, "wb"), os.fdopen(back, "rb")
        self.events, self.number, self.session = [], 0, None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def _message(self):
        read = bytearray()
        while (byte := self.reader.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has gone")
            read += byte
        return json.loads(read)

    def send(self, method, **parameters):
        """Call a method of the protocol and return its result."""
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        call |= {"sessionId": self.session} if self.session else {}
        self.writer.write(json.dumps(call).encode() + b"\0")
        self.writer.flush()
        while "id" not in (message := self._message()) or message["id"] != self.number:
            self.events.append(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]

    def run(self, script):
        """Evaluate JavaScript, wait for it if it is a promise, and return its value."""
        found = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"]["description"])
        return found["result"].get("value")

    def open(self, path, *, width=1280, dark=False):
        """Show a file in a window of some width and wait until it is drawn."""
        self.events.clear()
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Page.navigate", url=path.resolve().as_uri())
        end = time.monotonic() + 60
        while not self.run("document.readyState === 'complete' && location.protocol === 'file:'"):
            if time.monotonic() > end:
                raise RuntimeError(f"{path} does not load")
            time.sleep(0.05)
        self.run("document.fonts.ready.then(() => true)")

    def picture(self, target, selector="body", height=4000):
        """Write a picture of an element, cut below some height."""
        box = self.run(
            f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect();"
            "return [0, r.top + scrollY, innerWidth, r.height] })()"
        )
        clip = dict(zip(("x", "y", "width", "height"), box, strict=True), scale=1)
        clip["height"] = min(clip["height"], height)
        shot = self.send("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        """End the browser."""
        self.session = None
        try:
            self.send("Browser.close")
        except (RuntimeError, OSError):
            self.process.terminate()
        self.process.wait(timeout=20)
        for pipe in (self.writer, self.reader):
            pipe.close()
