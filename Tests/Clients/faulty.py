"""Servers that fail: the first AddFriends is UNAUTHENTICATED, the second one UNAVAILABLE, and the
first two streams of Watch break off.

They keep what they were asked, so a test sees what a client sends the next time.
"""

import contextlib
import http.server
import json
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf import json_format

ADD = "/relation.v1.FriendService/AddFriends"
LIST = "/relation.v1.FriendService/ListFriends"
WATCH = "/relation.v1.ChangeService/Watch"


class Story:
    """What both kinds of servers answer; `v1` has the messages of the contract."""

    def __init__(self, v1):
        self.v1, self.adds, self.watches, self.lock = v1, [], [], threading.Lock()

    def added(self, request, headers):
        """The answer, or the code to fail with."""
        with self.lock:
            self.adds.append((request, headers))
            if len(self.adds) < 3:
                return ("unauthenticated", "unavailable")[len(self.adds) - 1]
        result = self.v1.FriendResult(user_id="bob", code=self.v1.FRIEND_STATUS_SUCC)
        return self.v1.AddFriendsResponse(applied=True, results=[result])

    def listed(self, request):
        """One of two pages, of a friend each."""
        number, token = (2, "") if request.page_token == "more" else (1, "more")
        friends = [self.v1.Friend(user_id=f"friend-{number}")]
        return self.v1.ListFriendsResponse(friends=friends, next_page_token=token)

    def watched(self, request):
        """The message of a stream, and whether the stream breaks after it."""
        with self.lock:
            self.watches.append(request)
            number = len(self.watches)
        return self.v1.WatchResponse(resume_token=f"token-{number}"), number < 3


@contextlib.contextmanager
def by_grpc(story):
    """A server of gRPC; yields its address."""
    v1 = story.v1

    def add(request, context):
        answer = story.added(request, dict(context.invocation_metadata()))
        if isinstance(answer, str):
            context.abort(grpc.StatusCode[answer.upper()], "not now")
        return answer

    def watch(request, context):
        message, breaks = story.watched(request)
        yield message
        if breaks:
            context.abort(grpc.StatusCode.UNAVAILABLE, "broken off")

    class Handler(grpc.GenericRpcHandler):
        def service(self, details):
            if details.method == ADD:
                return grpc.unary_unary_rpc_method_handler(
                    add, v1.AddFriendsRequest.FromString, v1.AddFriendsResponse.SerializeToString)
            if details.method == LIST:
                return grpc.unary_unary_rpc_method_handler(
                    lambda request, _: story.listed(request), v1.ListFriendsRequest.FromString,
                    v1.ListFriendsResponse.SerializeToString)
            return grpc.unary_stream_rpc_method_handler(
                watch, v1.WatchRequest.FromString, v1.WatchResponse.SerializeToString)

    server = grpc.server(ThreadPoolExecutor(4), handlers=[Handler()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None)


@contextlib.contextmanager
def by_connect(story):
    """A server of Connect over HTTP/1.1, in JSON or protobuf; yields its address."""
    v1 = story.v1

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def read(self, kind):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == WATCH:
                body = body[5:]
            if "json" in self.headers["content-type"]:
                return json_format.Parse(body or b"{}", kind())
            return kind.FromString(body)

        def encoded(self, message):
            if "json" in self.headers["content-type"]:
                return json_format.MessageToJson(message).encode()
            return message.SerializeToString()

        def answer(self, status, kind, body):
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            if self.path == ADD:
                headers = {key.lower(): value for key, value in self.headers.items()}
                answer = story.added(self.read(v1.AddFriendsRequest), headers)
                if isinstance(answer, str):
                    error = {"code": answer, "message": "not now"}
                    status = {"unauthenticated": 401, "unavailable": 503}[answer]
                    self.answer(status, "application/json", json.dumps(error).encode())
                else:
                    self.answer(200, self.headers["content-type"], self.encoded(answer))
                return
            if self.path == LIST:
                answer = story.listed(self.read(v1.ListFriendsRequest))
                self.answer(200, self.headers["content-type"], self.encoded(answer))
                return
            message, breaks = story.watched(self.read(v1.WatchRequest))
            end = {"error": {"code": "unavailable", "message": "broken off"}} if breaks else {}
            body = b"".join(
                struct.pack(">BI", flag, len(part)) + part
                for flag, part in ((0, self.encoded(message)), (2, json.dumps(end).encode())))
            self.answer(200, self.headers["content-type"], body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield "127.0.0.1:%d" % server.server_address[1]
    server.shutdown()
    server.server_close()
