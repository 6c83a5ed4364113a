"""`relationd demo` as a test double: the server of production, which keeps nothing.

Copy this file beside your tests. It needs no package.
"""

import json
import os
import subprocess
import threading
import urllib.error
import urllib.request


class RelationDemo:
    """A demo that runs until `stop`, or to the end of a `with`.

    `address` is for any client of gRPC, such as `grpc.insecure_channel(demo.address)`. The program
    is `RELATIOND` of the environment, or the one on the path.
    """

    def __init__(self, *arguments):
        program = os.environ.get("RELATIOND", "relationd")
        self.process = subprocess.Popen(
            [program, "demo", "--port", "0", *(arguments or ["--empty"])],
            stdout=subprocess.PIPE, text=True)
        self.apps, self.address, self._clock = {}, "", ""
        # A server that stays silent ends, and so does the reading.
        timer = threading.Timer(30, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            words = line.split()
            if words[:2] == ["listening", "on"]:
                self.address = words[2]
            elif words[:2] == ["clock", "on"]:
                self._clock = words[2]
            elif words[:1] == ["app"]:
                self.apps[" ".join(words[1:-2])] = int(words[-1])
            elif words == ["ready"]:
                break
        timer.cancel()
        if not self._clock:
            self.stop()
            raise RuntimeError(f"relationd demo ended with status {self.process.returncode}")

    def stop(self):
        self.process.terminate()
        self.process.stdout.close()
        return self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def new_app(self, name="test", **settings):
        """Makes an app, whose users no other test sees; returns the number for `x-app-id`.

        Users need no import there: the first call that names one makes it.
        """
        settings = {"makesAccountsImplicitly": True, **settings}
        answer = self.call("AppService/CreateApp", {"name": name, "settings": settings})
        return answer["app"]["appId"]

    def call(self, method, request, app=None, fault=None):
        """Makes a call in JSON: `call("FriendService/ListFriends", {"userId": "ann"}, app)`.

        A fault is a text such as `code=UNAVAILABLE; reason=OVERLOADED`.
        """
        headers = {"content-type": "application/json"}
        if app is not None:
            headers["x-app-id"] = str(app)
        if fault is not None:
            headers["x-demo-fault"] = fault
        return self._post(f"http://{self.address}/relation.v1.{method}", request, headers)

    def now_ms(self):
        """The time of the server's clock."""
        with urllib.request.urlopen(self._clock, timeout=30) as answer:
            return json.load(answer)["now_ms"]

    def set_clock(self, **change):
        """Sets the clock: `advance_ms=…`, `now_ms=…`, and `stopped=True` or `False`."""
        return self._post(self._clock, change, {"content-type": "application/json"})

    @staticmethod
    def _post(url, body, headers):
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise RuntimeError(error.read().decode(errors="replace")) from error
