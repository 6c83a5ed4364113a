"""A stand-in for RongCloud's server API that a migration reads, made from what the vendor tells
customers.

It serves the calls that read, and those of the vendor's own client that write users and blacklists,
from a dictionary of users, and fails as a test wants it to.
"""

import collections
import gzip
import hashlib
import http.server
import json
import threading
import time
from urllib.parse import parse_qs

APP, SECRET = "p5tvi9dspqek4", "s" * 14
FORM = "application/x-www-form-urlencoded"
STATUS = {1004: 401, 1007: 401, 1008: 429, 1009: 430, 1000: 500, 1050: 504}


def user(**lists):
    """A user: its hosted profile, its friends with their fields, the ids on its blacklist."""
    return {
        "profile": {}, "ext": {}, "permission": 2, "friends": {}, "blacklist": [], "name": "",
        "portrait": "", "time": "2016-05-24 10:38:19", **lists,
    }  # fmt: skip


class FakeRongCloud:
    """Listens at `address`. `fault(path, number)` may return `gateway`, `garbage`, `drop`, `gzip`, or
    a code with which the call is refused; 1008 says that calls come too fast."""

    def __init__(self, users, fault=lambda path, number: None, page=2):
        self.users = users
        self.fault = fault
        self.page = page
        self.calls = collections.Counter()
        self.asked = collections.defaultdict(list)
        self.moments = []
        self.lock = threading.Lock()
        # Users whose lists never end, users whose list changes between two pages, users whose
        # friends are counted wrongly, and users that the app does not know.
        self.endless, self.changing, self.miscounted, self.gone = set(), set(), set(), set()
        # How many users the list of all users counts too much, and whether its pages repeat.
        self.missing, self.repeats = 0, False

    def __enter__(self):
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                reply = fake.reply(self.path, self.headers, body)
                if reply is None:
                    self.close_connection = True
                    return
                status, text = reply
                self.send_response(status)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def reply(self, target, headers, body):
        path = target.removeprefix("/").removesuffix(".json")
        assert target == f"/{path}.json" and headers["content-type"] == FORM, target
        form = parse_qs(body.decode(), keep_blank_values=True)
        with self.lock:
            number = sum(self.calls.values())
            self.calls[path] += 1
            self.asked[path].append(form.get("userId", [""])[0])
            self.moments.append(time.monotonic())
        fault = self.fault(path, number)
        if fault == "drop":
            return None
        if fault == "gateway":
            return 502, b"<html>bad gateway</html>"
        if fault == "garbage":
            return 200, b"{\"code\":2"
        code = fault if isinstance(fault, int) else self.refusal(headers, form)
        answer = {} if code else getattr(self, path.replace("/", "_").lower())(form)
        code = answer.setdefault("code", code or 200)
        if code != 200:
            answer["errorMessage"] = "no"
        text = json.dumps(answer).encode()
        return STATUS.get(code, 200), gzip.compress(text) if fault == "gzip" else text

    def refusal(self, headers, form):
        signed = SECRET + headers["Nonce"] + headers["Timestamp"]
        if hashlib.sha1(signed.encode()).hexdigest() != headers["Signature"]:
            return 1004
        assert headers["App-Key"] == APP and 0 < len(headers["Nonce"]) <= 64
        assert abs(int(headers["Timestamp"]) - time.time()) < 100
        return 24360 if form.get("userId", [""])[0] in self.gone else None

    # Calls that read

    def user_query(self, form):
        size, page = int(form["pageSize"][0]), int(form["page"][0])
        assert 1 <= size <= 100 and form["order"] == ["0"]
        size = min(size, self.page)
        begin = 0 if self.repeats else (page - 1) * size
        names = list(self.users)[begin:begin + size]
        return {"total": len(self.users) + self.missing, "users": [
            {"userId": name, "userName": self.users[name]["name"],
             "userPortrait": self.users[name]["portrait"], "regTime": self.users[name]["time"]}
            for name in names]}  # fmt: skip

    def user_info(self, form):
        known = self.users[form["userId"][0]]
        return {"userName": known["name"], "userPortrait": known["portrait"],
                "createTime": known["time"]}  # fmt: skip

    def user_profile_batch_query(self, form):
        names = form["userId"][0].split(",")
        assert len(names) <= 100
        return {"userList": [
            {"userId": name, "version": 3, "userProfile": json.dumps(self.users[name]["profile"]),
             "userExtProfile": json.dumps(self.users[name]["ext"])}
            for name in names if self.users.get(name, {}).get("profile")]}  # fmt: skip

    def friend_permission_get(self, form):
        names = form["userIds"][0].split(",")
        assert len(names) <= 100
        return {"permissionSettings": [
            {"userId": name, "type": self.users[name]["permission"]}
            for name in names if name in self.users]}  # fmt: skip

    def friend_get(self, form):
        owner, token = form["userId"][0], form["pageToken"][0]
        assert 1 <= int(form["size"][0]) <= 100 and form["order"] == ["0"]
        friends = list(self.users[owner]["friends"].items())
        begin = int(token or 0)
        end = begin + self.page
        total = len(friends) + (owner in self.miscounted)
        if owner in self.changing and begin:
            self.changing.discard(owner)
            total += 1
        more = end < len(friends)
        return {
            "pageToken": str(end) if more else "2" if owner in self.endless else "",
            "totalCount": total,
            "friendList": [
                {"userId": other, "name": other.title(), "remarkName": row.get("remark", ""),
                 "friendExtProfile": json.dumps(row.get("ext", {})), "time": row.get("time", 0),
                 "isBlacklist": 0, "directionType": 2}
                for other, row in friends[begin:end]],
        }  # fmt: skip

    def user_blacklist_query(self, form):
        names = self.users[form["userId"][0]]["blacklist"]
        begin = int(form.get("pageToken", ["0"])[0])
        # The vendor's older clients name no size, and get all.
        end = begin + min(int(form["size"][0]), self.page) if "size" in form else len(names)
        answer = {"users": names[begin:end]}
        return {**answer, "next": str(end)} if end < len(names) else answer

    # Calls that write

    def user_gettoken(self, form):
        name = form["userId"][0]
        known = self.users.setdefault(name, user())
        known["name"] = form.get("name", [""])[0]
        known["portrait"] = form.get("portraitUri", [""])[0]
        return {"userId": name, "token": "t" * 20}

    def user_blacklist_add(self, form):
        names = self.users[form["userId"][0]]["blacklist"]
        names.extend(name for name in form["blackUserId"] if name not in names)
        return {}

    def user_blacklist_remove(self, form):
        names = self.users[form["userId"][0]]["blacklist"]
        names[:] = [name for name in names if name not in form["blackUserId"]]
        return {}
