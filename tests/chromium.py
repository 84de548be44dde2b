"""Pages in the machine's Chromium, without a window, by Playwright; no browser is downloaded."""

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30_000  # milliseconds for one answer; a machine under load starts slowly
# Each window would load two pages for the suggestions of its address bar, which costs more than
# the page under test. The last list of features counts, so it repeats those of Playwright.
UNUSED_FEATURES = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
]
FLAGS = [
    "--disable-gpu",
    "--disable-dev-shm-usage",
    f"--disable-features={','.join(UNUSED_FEATURES)}",
]
# What a page draws when it is idle comes late, so that a test that does not wait for it fails
# always, not only on a busy machine.
LATE = "globalThis.requestIdleCallback = (act) => setTimeout(act, 300)"


def found():
    """Return the path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser that runs until it is closed.

    Playwright keeps an event loop in this thread meanwhile, which code that starts a loop of its
    own does not stand.
    """

    def __init__(self):
        from playwright.sync_api import sync_playwright  # tests without a browser do without it

        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=found(), chromium_sandbox=False, args=FLAGS
        )

    @property
    def version(self):
        return self._browser.version

    def open(self, address, width=1280, height=900, *, dark=False, moving=False):
        """Return a page, once it is loaded; it shares no storage with the others."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="no-preference" if moving else "reduce",  # frames take time
        )
        context.add_init_script(LATE)
        return Page(context.new_page(), address)

    def close_pages(self):
        for context in self._browser.contexts:
            context.close()

    def close(self):
        self._browser.close()
        self._playwright.stop()


_shared = None


def start_shared():
    """Return the browser that tests share, and start it if it does not run."""
    global _shared
    _shared = _shared or Chromium()
    return _shared


def stop_shared():
    global _shared
    if _shared:
        _shared.close()
    _shared = None


class Page:
    """A page; `page` is Playwright's, for what is not here."""

    def __init__(self, page, address):
        self.page = page
        self._complaints, self._requests = [], []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self._complaints.append(str(error)))
        page.on("request", lambda request: self._requests.append(request.url))
        # What the browser logs of the page, such as refusals of its policy, is no console message.
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.on(
            "Log.entryAdded", lambda event: self._complaints.append(event["entry"]["text"])
        )
        self._devtools.send("Log.enable")
        page.goto(address)
        # The script of a page of ours reads compressed texts before it is ready.
        self.until(
            "!document.getElementById('data')"
            " || document.documentElement.classList.contains('ready')"
        )

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})

    def run(self, script):
        """Return the value of an expression in the page."""
        # Not `page.evaluate`, because its `eval` is refused by the policy of our pages.
        done = self._devtools.send(
            "Runtime.evaluate",
            {"expression": script, "returnByValue": True, "awaitPromise": True},
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, condition):
        """Wait for an expression to be true; name the one that never was."""
        for _ in range(PATIENCE // 20):
            if self.run(f"Boolean({condition})"):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never true: {condition}")

    def text(self, selector):
        return self.page.locator(selector).first.text_content()

    def count(self, selector):
        return self.page.locator(selector).count()

    def click(self, selector):
        self.page.locator(selector).first.click()

    def hover(self, selector):
        self.page.locator(selector).first.hover()

    def press(self, key):
        self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.insert_text(text)

    def complaints(self):
        """Return errors and refusals that the page has caused so far."""
        self.run("0")
        return self._complaints

    def requests(self):
        """Return what was asked for, besides the page itself."""
        self.run("0")
        own = self._requests[0].partition("#")[0]  # asked for again when it is loaded again
        return [url for url in self._requests if url.partition("#")[0] != own]

    def picture(self):
        """Return what is in sight, as PNG."""
        return self.page.screenshot()

    def close(self):
        self.page.context.close()
