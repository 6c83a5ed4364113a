"""A stand-in for TIM's REST API that a migration reads, made from what the vendor tells customers.

It serves the commands that read, from a dictionary of users, and fails as a test wants it to.
"""

import collections
import http.server
import json
import threading
import time
from urllib.parse import parse_qs, urlsplit

APP = 1400000001
SERVED = ("sns", "profile", "follow")


def user(**lists):
    """A user: tags of its profile, tags of its friends, groups, and times of two lists."""
    return {"profile": {}, "friends": {}, "groups": [], "blacklist": {}, "follows": {}, **lists}


class FakeTIM:
    """Listens at `address`. `fault(command, number)` may return `throttle`, `gateway`, `garbage`,
    `drop`, or a code with which the call is refused."""

    def __init__(self, users, fault=lambda command, number: None, page=2):
        self.users = users
        self.fault = fault
        self.page = page
        self.calls = collections.Counter()
        self.asked = collections.defaultdict(list)
        self.moments = []
        self.connections = 0
        self.lock = threading.Lock()
        # Users whose lists never end, and users whose list changes between two pages.
        self.endless, self.changing = set(), set()
        self.sequence = 7

    def __enter__(self):
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Its head and its body are two packets, and the second one would wait for a reader.
            disable_nagle_algorithm = True

            def setup(self):
                with fake.lock:
                    fake.connections += 1
                super().setup()

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                reply = fake.reply(self.path, body)
                if reply is None:
                    self.close_connection = True
                    return
                status, text = reply
                self.send_response(status)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        class Server(http.server.ThreadingHTTPServer):
            # A crowd that comes at once finds room.
            request_queue_size = 1024

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def reply(self, path, body):
        parts = urlsplit(path)
        query = parse_qs(parts.query)
        assert query["sdkappid"] == [str(APP)] and query["contenttype"] == ["json"], path
        command = parts.path.removeprefix("/v4/")
        request = json.loads(body)
        with self.lock:
            number = sum(self.calls.values())
            self.calls[command] += 1
            self.asked[command].append(request.get("From_Account"))
            self.moments.append(time.monotonic())
        fault = self.fault(command, number)
        if fault == "drop":
            return None
        if fault == "gateway":
            return 502, b"<html>bad gateway</html>"
        if fault == "garbage":
            return 200, b"{\"ErrorCode\":"
        code = 60007 if fault == "throttle" else fault or 0
        answer = {} if code else getattr(self, command.rpartition("/")[2])(request)
        code = answer.pop("ErrorCode", code)
        answer.update(ActionStatus="FAIL" if code else "OK", ErrorCode=code, ErrorInfo="")
        if command.startswith(SERVED):
            answer["ErrorDisplay"] = ""
        return 200, json.dumps(answer).encode()

    # The commands

    def account_check(self, request):
        return {"ResultItem": [
            {"UserID": item["UserID"], "ResultCode": 0, "ResultInfo": "", "AccountStatus":
             "Imported" if item["UserID"] in self.users else "NotImported"}
            for item in request["CheckItem"]]}  # fmt: skip

    def portrait_get(self, request):
        users = request["To_Account"]
        # One edition of the vendor's page says that all of them must exist.
        if any(self.users[each].get("gone") for each in users) and len(users) > 1:
            return {"ErrorCode": 40003}
        return {"UserProfileItem": [
            {"To_Account": each, "ResultCode": 40003, "ResultInfo": "gone"}
            if self.users[each].get("gone") else
            {"To_Account": each, "ResultCode": 0, "ResultInfo": "", "ProfileItem": [
                {"Tag": tag, "Value": value}
                for tag, value in self.users[each]["profile"].items()]}
            for each in users]}  # fmt: skip

    def friend_get(self, request):
        owner, start = request["From_Account"], request["StartIndex"]
        if self.users[owner].get("gone"):
            return {"ErrorCode": 30003}
        friends = list(self.users[owner]["friends"].items())
        end = start + self.page
        if owner in self.changing and start:
            self.changing.discard(owner)
            self.sequence += 1
        unlisted = ("Tag_SNS_IM_AddWording", "Tag_SNS_IM_RemarkTime")
        is_last = end >= len(friends) and owner not in self.endless
        return {
            "UserDataItem": [
                {"To_Account": friend, "ValueItem": [
                    {"Tag": tag, "Value": value} for tag, value in tags.items()
                    if tag not in unlisted]}
                for friend, tags in friends[start:end]],
            "StandardSequence": self.sequence, "CustomSequence": self.sequence,
            "FriendNum": len(friends), "CompleteFlag": int(is_last),
            "NextStartIndex": 0 if is_last or owner in self.endless else end,
        }  # fmt: skip

    def friend_get_list(self, request):
        friends = self.users[request["From_Account"]]["friends"]
        return {"InfoItem": [
            {"To_Account": friend, "ResultCode": 30001, "ResultInfo": "no friend"}
            if friend not in friends else
            {"To_Account": friend, "ResultCode": 0, "ResultInfo": "", "SnsProfileItem": [
                {"Tag": tag, "Value": value} for tag, value in friends[friend].items()
                if tag in request["TagList"]]}
            for friend in request["To_Account"]]}  # fmt: skip

    def group_get(self, request):
        owner = self.users[request["From_Account"]]
        return {"CurrentSequence": 1, "ResultItem": [
            {"GroupName": name, "FriendNumber": 0} for name in owner["groups"]]}

    def black_list_get(self, request):
        rows = list(self.users[request["From_Account"]]["blacklist"].items())
        start = request["StartIndex"]
        end = start + min(request["MaxLimited"], self.page)
        return {
            "BlackListItem": [
                {"To_Account": other, "AddBlackTimeStamp": seconds}
                for other, seconds in rows[start:end]],
            "StartIndex": end if end < len(rows) else 0, "CurruentSequence": 1,
        }  # fmt: skip

    def follow_get(self, request):
        rows = list(self.users[request["From_Account"]]["follows"].items())
        start = int(request["StartCursor"] or 0)
        end = start + min(request["WantNum"], self.page)
        return {
            "FollowItem": [
                {"To_Account": other, "FollowTime": seconds, "ProfileItem": []}
                for other, seconds in rows[start:end]],
            "NextCursor": str(end) if end < len(rows) else "",
        }  # fmt: skip
