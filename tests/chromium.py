"""Chromium without a window, driven through two pipes by its DevTools protocol; no package needed.

Messages are JSON, each ended by a zero byte: chromium reads them from descriptor 3 and writes its
answers to 4.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30  # seconds for one answer; a machine under load starts slowly
KEYS = {
    "Enter": 13,
    "Escape": 27,
    "Tab": 9,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "PageDown": 34,
}


def found():
    """Where a browser is, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    def __init__(self, path, profile):
        import fcntl  # which some systems do not have

        to_read, self._writes = os.pipe()
        self._reads, to_write = os.pipe()

        def as_three_and_four():
            high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]
            for fd, wanted in zip(high, (3, 4), strict=True):
                os.dup2(fd, wanted)

        flags = "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-dev-shm-usage"
        self._process = subprocess.Popen(
            [
                path,
                *flags.split(),
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
                "--disable-background-networking",
                "--disable-component-update",
                "about:blank",
            ],
            preexec_fn=as_three_and_four,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._number, self.events = b"", 0, []

    def call(self, method, session=None, **params):
        """One command and its answer; what else is told meanwhile goes to `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _message(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            left = end - time.monotonic()
            assert left > 0 and select.select([self._reads], [], [], left)[0], "no answer"
            read = os.read(self._reads, 1 << 20)
            assert read, "the browser has ended"
            self._buffer += read
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def open(self, address, width=1280, height=900):
        """A page, once it has been loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        return Page(self, target, address, width, height)

    def close(self):
        os.close(self._writes)  # which ends it
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._reads)


class Page:
    def __init__(self, browser, target, address, width, height):
        self._browser, self._target = browser, target
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        browser.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def call(self, method, **params):
        return self._browser.call(method, self._session, **params)

    def resize(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def run(self, script):
        """What an expression is, in the page."""
        done = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, condition):
        """Waits for an expression to be true; says which one never was."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def count(self, selector):
        return self.run(f"document.querySelectorAll({json.dumps(selector)}).length")

    def click(self, selector):
        """The left button in the middle of an element, as a hand would."""
        x, y = self.hover(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def hover(self, selector):
        """The pointer in the middle of an element, and where that is."""
        x, y = self.run(
            f"(() => {{ const node = document.querySelector({json.dumps(selector)});"
            "node.scrollIntoView({block: 'center'}); const box = node.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="none")
        return x, y

    def press(self, key):
        named = KEYS.get(key)
        code = named or ord(key.upper())
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r" if key == "Enter" else key} if not named or key == "Enter" else {}
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=code,
                **(text if kind == "keyDown" else {}),
            )

    def type(self, text):
        self.call("Input.insertText", text=text)

    def complaints(self):
        """Errors and refusals that the page has written so far."""
        self.run("0")
        said = []
        for event in self._browser.events:
            if event.get("method") == "Log.entryAdded":
                said.append(event["params"]["entry"]["text"])
            elif event.get("method") == "Runtime.exceptionThrown":
                said.append(str(event["params"]["exceptionDetails"]))
        return said

    def requests(self):
        """What was asked for, besides the page itself."""
        self.run("0")
        asked = [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
        return asked[1:]

    def picture(self, whole=False):
        """What is in sight, or the whole page, as PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(shot["data"])

    def close(self):
        self._browser.call("Target.closeTarget", targetId=self._target)
