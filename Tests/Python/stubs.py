"""The stubs that a user of the service would generate, made from `proto/` for one run of the tests."""

import importlib
import pathlib
import sys
import weakref

import grpc
from answers import Answers
from google.protobuf import message
from grpc_tools import protoc
from refusals import Refusal

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Stubs:
    """All messages, enums and calls of the contract, by their short names.

    `stubs.message("Friend")` is the class of `relation.v1.Friend`, and `stubs.FriendStatus` (any
    enum's name) the enum. A call is named `ListFriends`, or `FriendService.ListFriends`, or by its
    path `/relation.v1.FriendService/ListFriends`.
    """

    def __init__(self, folder):
        sources = sorted((ROOT / "proto").rglob("*.proto"))
        names = [str(source.relative_to(ROOT / "proto")) for source in sources]
        well_known = pathlib.Path(protoc.__file__).parent / "_proto"
        options = [f"-I{ROOT / 'proto'}", f"-I{well_known}"]
        outputs = [f"--python_out={folder}", f"--grpc_python_out={folder}"]
        if protoc.main(["protoc", *options, *outputs, *names]) != 0:
            raise RuntimeError("protoc refused the contract")
        sys.path.insert(0, str(folder))

        # The service of receivers is one that tests serve, and no call of the server.
        names = [name for name in names if name.startswith("relation/v1/")]
        self.answers = Answers()
        self._messages = {}
        self._methods = {}
        self._functions = weakref.WeakKeyDictionary()
        for name in names:
            module = name.removesuffix(".proto").replace("/", ".")
            self._read(
                importlib.import_module(module + "_pb2"),
                importlib.import_module(module + "_pb2_grpc"),
            )

    def _read(self, messages, services):
        file = messages.DESCRIPTOR
        for name in file.message_types_by_name:
            self._messages[name] = getattr(messages, name)
        for name in file.enum_types_by_name:
            setattr(self, name, getattr(messages, name))
        for service in file.services_by_name.values():
            stub = getattr(services, service.name + "Stub")
            for method in service.methods:
                entry = (stub, method)
                self._methods[f"/{service.full_name}/{method.name}"] = entry
                for name in (f"{service.name}.{method.name}", method.name):
                    if name in self._methods:
                        raise RuntimeError(f"two calls are named {name}")
                    self._methods[name] = entry

    @property
    def paths(self):
        """The paths of all calls, sorted."""
        return sorted(name for name in self._methods if name.startswith("/"))

    def message(self, name):
        return self._messages[name]

    def method(self, name):
        """The stub class that has the call, and the call's descriptor."""
        return self._methods[name]

    def function(self, channel, name):
        """The generated stub's own function for the call `name`, with its answers noted.

        It is made once for a channel: a stub makes the functions of all calls of its service, which
        takes longer than a call.
        """
        made = self._functions.setdefault(channel, {})
        if name not in made:
            stub, method = self._methods[name]
            made[name] = Noted(getattr(stub(channel), method.name), method, self.answers)
        return made[name]

    def request(self, name, fields):
        """A request of the call `name` from keyword arguments; dictionaries stand for messages."""
        descriptor = self._methods[name][1].input_type
        return self._messages[descriptor.name](**fields)


class Relation:
    """A client of a running server, which acts for no particular user.

    Each request names its acting user in `user_id`, as a server started with `--insecure` allows.
    """

    def __init__(self, stubs, channel, metadata=()):
        self.stubs = stubs
        self.channel = channel
        self.metadata = tuple(metadata)

    def in_app(self, app):
        """The same server's data of another app."""
        return Relation(self.stubs, self.channel, [("x-app-id", str(app))])

    def __call__(self, name, /, *, timeout=20, **fields):
        """The answer of a unary call; `grpc.RpcError` if its status is not OK."""
        return self.start(name)(
            self.stubs.request(name, fields), timeout=timeout, metadata=self.metadata
        )

    def stream(self, name, requests, /, *, timeout=60):
        """The answers of a call that streams both ways, for `requests`: messages or mappings."""
        made = (
            request if isinstance(request, message.Message) else self.stubs.request(name, request)
            for request in requests
        )
        return self.start(name)(made, timeout=timeout, metadata=self.metadata)

    def start(self, name):
        """The generated stub's own function for the call, for tests that need more control."""
        return self.stubs.function(self.channel, name)


class Noted:
    """A call's function that notes every answer and refusal; the rest is grpc's."""

    def __init__(self, function, method, answers):
        self._function = function
        self._call = method.name
        self._answers = answers
        self._streams = method.server_streaming

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __call__(self, *arguments, **options):
        if self._streams:
            return NotedStream(
                self._function(*arguments, **options), self._call, self._answers)
        return self._note(lambda: self._function(*arguments, **options))

    def future(self, *arguments, **options):
        """The call while it runs; its answer is noted when a test asks for it."""
        return NotedFuture(self._function.future(*arguments, **options), self._note)

    def _note(self, answered):
        try:
            answer = answered()
        except grpc.RpcError as error:
            self._answers.refusal(self._call, Refusal(error))
            raise
        self._answers.response(self._call, answer)
        return answer


class NotedFuture:
    """A call that runs, as grpc's own object."""

    def __init__(self, future, note):
        self._future = future
        self._note = note

    def __getattr__(self, name):
        return getattr(self._future, name)

    def result(self, timeout=None):
        return self._note(lambda: self._future.result(timeout))


class NotedStream:
    """The answers of a call that streams, as grpc's own object; each is noted when it comes."""

    def __init__(self, stream, call, answers):
        self._stream = stream
        self._call = call
        self._answers = answers

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            answer = next(self._stream)
        except grpc.RpcError as error:
            self._answers.refusal(self._call, Refusal(error))
            raise
        self._answers.response(self._call, answer)
        return answer
