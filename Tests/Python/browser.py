"""Debian's chromium, driven by its own driver in the words of W3C's WebDriver."""

import atexit
import http.client
import http.server
import json
import shutil
import subprocess
import threading
import time

import ports

# The build without an interface for people: the same engine, for three quarters of the processor's
# time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
DRIVER = shutil.which("chromedriver")

# A profile in memory, with which a page is loaded with a fifth less of the processor's time. The
# DevTools protocol grants no permissions there.
IN_MEMORY = "--incognito"

# Waits until an expression is true, and gives its value; null if it never is. One that throws is
# not true yet.
UNTIL = """
    for (let tries = 0; tries < 1200; tries++) {
        const found = await (async () => (%s))().catch(() => null);
        if (found) return found;
        await new Promise(done => setTimeout(done, 20));
    }
    return null;
"""


class Browser:
    """A browser without a window; `ask` runs a script in a page and gives what it returns.

    A process is kept when its user has closed it, without its pages and all that they stored, and
    given to the next one that begins a browser with the same arguments.
    """

    #: The driver's process, its port, its session, and the arguments: at most one is kept.
    _kept = None

    def __init__(self, *arguments, capabilities=None):
        self.key = json.dumps([arguments, capabilities])
        #: Whether it shows an empty page, which no script has seen.
        self.is_blank = True
        kept, Browser._kept = Browser._kept, None
        if kept and kept.key == self.key and kept.process.poll() is None:
            self.process, self.port, self.session = kept.process, kept.port, kept.session
            return
        if kept:
            kept.end()
        self.process, self.port = ports.launched(
            lambda port: [DRIVER, f"--port={port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        options = {"args": [*flags, *arguments], "binary": CHROMIUM}
        always = {"goog:chromeOptions": options, **(capabilities or {})}
        wanted = {"capabilities": {"alwaysMatch": always}}
        self.session = None
        end = time.monotonic() + 30
        while self.session is None:
            try:
                self.session = self._say("POST", "/session", wanted)["sessionId"]
            except ConnectionRefusedError:
                assert time.monotonic() < end, "the driver does not start"

    def _say(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, json.dumps(body or {}) if method == "POST" else None)
        told = json.loads(connection.getresponse().read())["value"]
        connection.close()
        assert not (isinstance(told, dict) and "error" in told), told
        return told

    def go(self, address):
        self._say("POST", f"/session/{self.session}/url", {"url": address})
        self.is_blank = address == "about:blank"

    def ask(self, script, *arguments):
        """What the body of an asynchronous function returns, or the name of what it throws."""
        text = """
            const done = arguments[arguments.length - 1];
            (async (...args) => { %s })(...arguments).then(done, e => done(e.name));
        """ % script
        path = f"/session/{self.session}/execute/async"
        self.is_blank = False
        return self._say("POST", path, {"script": text, "args": list(arguments)})

    def until(self, expression, *arguments):
        """The value of an expression of JavaScript once it is true; fails if it never is."""
        found = self.ask(UNTIL % expression, *arguments)
        said = self.ask("return document.querySelector('#note')?.textContent")
        assert found is not None, f"never true: {expression}; the page says: {said!r}"
        return found

    def send(self, method, **parameters):
        """A command of the DevTools protocol; gives its result."""
        return self._say("POST", f"/session/{self.session}/goog/cdp/execute",
                         {"cmd": method, "params": parameters})

    def look(self, width, scheme, height=900):
        """Shows pages so wide and high, in `light` or `dark`."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        """Keeps it for the next user if it can be made as a new one, and ends it otherwise."""
        try:
            self._empty()
        except (AssertionError, OSError, http.client.HTTPException):
            self.end()
            return
        self.end_kept()
        Browser._kept = self

    def _empty(self):
        """Takes away its pages with what was set for them, what they stored, and its messages."""
        path = f"/session/{self.session}"
        self._say("DELETE", f"{path}/actions")
        self.send("Browser.resetPermissions")
        old = self._say("GET", f"{path}/window/handles")
        new = self._say("POST", f"{path}/window/new", {"type": "tab"})["handle"]
        for handle in old:
            self._say("POST", f"{path}/window", {"handle": handle})
            self._say("DELETE", f"{path}/window")
        self._say("POST", f"{path}/window", {"handle": new})
        # A page that is gone writes nothing any more.
        self.send("Storage.clearDataForOrigin", origin="*", storageTypes="all")
        self.send("Network.clearBrowserCookies")
        self.send("Network.clearBrowserCache")
        self._say("POST", f"{path}/se/log", {"type": "browser"})

    def end(self):
        """Ends its process."""
        try:
            if self.session and self.process.poll() is None:
                self._say("DELETE", f"/session/{self.session}")
        except (AssertionError, OSError, http.client.HTTPException):
            # The end of the driver ends what is left.
            pass
        finally:
            self.process.terminate()
            self.process.wait(30)

    @staticmethod
    def end_kept():
        """Ends the one that is kept, at the end of a run."""
        kept, Browser._kept = Browser._kept, None
        if kept:
            kept.end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


atexit.register(Browser.end_kept)


class Pages:
    """A server of pages at an origin of its own; a path without one gets an empty page."""

    EMPTY = b"<!doctype html><title>page</title>"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = self.server.pages.get(self.path, Pages.EMPTY)
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    def __init__(self, **pages):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.Handler)
        self.server.pages = {f"/{name}": page for name, page in pages.items()}
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
