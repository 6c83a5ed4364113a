"""The client: an address, a credential, deadlines, retries, and the services."""

from __future__ import annotations

import math
import secrets
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import grpc

from relation.v1.change_pb2 import WatchRequest, WatchResponse

from .calls import (
    END_SECONDS, BothStream, Call, Metadata, Request, Response, ServerStream, Stream, Unary, end)
from .errors import CallError, call_error
from .retries import RetryPolicy
from .services import Services
from .version import VERSION

LOOPBACK = ("127.", "localhost:", "[::1]:")
#: A stream of changes is lost if it is silent for so many heartbeats, and so many seconds.
SILENT_HEARTBEATS = 3
LEAST_SILENCE = 10.0


def api_key(key: str) -> str:
    """The credential of a back end or of an operator."""
    return f"Bearer {key}"


def user_sig(signature: str) -> str:
    """The credential of a user's device, which the app signs."""
    return f"UserSig {signature}"


class Client(Services):
    """A client of one server, or of those that a name has. It may be used by many threads.

    ``address`` is ``https://HOST:PORT`` or ``http://HOST:PORT``. Without a scheme it is TLS,
    unless the host is of this machine. ``credential`` is ``api_key(…)``, ``user_sig(…)``, or a
    function that answers one: it is asked before each attempt, so a signature can be renewed.
    ``app`` is the number of the app in which a key acts. ``ca`` has authorities in PEM, in place
    of those of gRPC. ``timeout`` is the deadline of a call in seconds. ``retries=None`` makes no
    call again, and adds no request ids.
    """

    def __init__(
        self, address: str = "127.0.0.1:7450", *,
        credential: str | Callable[[], str] | None = None, app: int | None = None,
        ca: bytes | None = None, timeout: float = 30.0,
        retries: RetryPolicy | None = RetryPolicy(), metadata: Metadata = (),
        options: Iterable[tuple[str, Any]] = (),
    ) -> None:
        scheme, _, target = address.rpartition("://")
        target = target.rstrip("/")
        if not scheme:
            scheme = "http" if target.startswith(LOOPBACK) else "https"
        agent = ("grpc.primary_user_agent", f"relation-client-python/{VERSION}")
        # The client repeats calls by itself: it knows which may be made twice.
        settings = [agent, ("grpc.enable_retries", 0), *options]
        self.channel = (
            grpc.secure_channel(target, grpc.ssl_channel_credentials(ca), settings)
            if scheme == "https" else grpc.insecure_channel(target, settings))
        self._credential, self._timeout, self._retries = credential, timeout, retries
        self._metadata = [*metadata, *([] if app is None else [("x-app-id", str(app))])]
        self._streams: weakref.WeakSet[Any] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._make_services(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections. Calls that are open fail with CANCELLED."""
        with self._lock:
            streams = list(self._streams)
        for opened in streams:
            opened.cancel()
        for opened in streams:
            end(opened)
        self.channel.close()

    def call(
        self, call: Unary[Request, Response], request: Request, *,
        timeout: float | None = None, metadata: Metadata = (),
    ) -> Response:
        """Makes a call, again after errors that pass, until its deadline."""
        end = time.monotonic() + (self._timeout if timeout is None else timeout)
        if call.writes and self._retries:
            request = _with_request_id(request)
        invoke = self.channel.unary_unary(call.path, call._encode, call._decode)
        attempts, renewed = 0, False
        while True:
            attempts += 1
            try:
                return invoke(
                    request, metadata=self._headers(metadata),
                    timeout=max(end - time.monotonic(), 0))
            except grpc.RpcError as thrown:
                error = call_error(thrown, attempts)
            if error.code is grpc.StatusCode.UNAUTHENTICATED and not renewed:
                renewed = callable(self._credential)
                if renewed:
                    continue
            policy = self._retries
            if not policy or not error.may_be_repeated or attempts >= policy.attempts:
                raise error
            wait = policy.wait(attempts, error.retry_after)
            if time.monotonic() + wait >= end:
                raise error
            time.sleep(wait)

    def stream(
        self, call: ServerStream[Request, Response] | BothStream[Request, Response],
        request: Request | Iterable[Request], *,
        timeout: float | None = None, metadata: Metadata = (),
    ) -> Stream[Response]:
        """Opens a stream, which is not repeated."""
        return Stream(self._open(call, request, timeout, metadata))

    def changes(
        self, request: WatchRequest, *, heartbeat: float = 25.0,
        gives_up_after: float | None = None,
        on_lost: Callable[[CallError], None] | None = None, metadata: Metadata = (),
    ) -> Iterator[WatchResponse]:
        """Follows changes, over lost streams too: a new one goes on with the last token.

        Keep ``resume_token`` of the last message that you are done with, and a later run goes on
        there. It ends only by a refusal of the service, or if nothing came for ``gives_up_after``
        seconds while it tried. ``on_lost`` is called for each stream that was lost.
        """
        asked = WatchRequest()
        asked.CopyFrom(request)
        asked.heartbeat_ms = asked.heartbeat_ms or int(heartbeat) * 1000
        silence = max(SILENT_HEARTBEATS * asked.heartbeat_ms / 1000, LEAST_SILENCE)
        policy = self._retries or RetryPolicy()
        failures, lost_at = 0, time.monotonic()
        while True:
            opened = self._open(self.change.watch, asked, None, metadata)
            try:
                with _Watchdog(opened, silence) as watchdog:
                    for message in opened:
                        watchdog.took()
                        asked.resume_token = message.resume_token or asked.resume_token
                        failures = 0
                        watchdog.pause()
                        yield message
                        watchdog.took()
                error = CallError(grpc.StatusCode.UNAVAILABLE, "the stream ended")
            except grpc.RpcError as thrown:
                error = call_error(thrown)
            finally:
                end(opened)
            if not error.ends_a_stream_only:
                raise error
            asked.resume_token = error.metadata.get("resume_token") or asked.resume_token
            lost_at = lost_at if failures else time.monotonic()
            failures += 1
            if gives_up_after is not None and time.monotonic() - lost_at >= gives_up_after:
                raise error
            if on_lost:
                on_lost(error)
            time.sleep(policy.wait(failures, error.retry_after))

    def _open(self, call: Call, request: Any, timeout: float | None, metadata: Metadata) -> Any:
        kind = (self.channel.stream_stream if isinstance(call, BothStream)
                else self.channel.unary_stream)
        request = iter(request) if isinstance(call, BothStream) else request
        invoke = kind(call.path, call._encode, call._decode)
        opened = invoke(request, metadata=self._headers(metadata), timeout=timeout)
        with self._lock:
            self._streams.add(opened)
        return opened

    def _headers(self, metadata: Metadata) -> list[tuple[str, str]]:
        """Those of the call take the place of those of the client."""
        value = self._credential() if callable(self._credential) else self._credential
        own = [("authorization", value)] if value else []
        named = {key for key, _ in metadata}
        return [pair for pair in own + self._metadata if pair[0] not in named] + list(metadata)


def _with_request_id(request: Request) -> Request:
    """The request under an id of its own, unless it has one or is only tried."""
    options = request.options  # type: ignore[attr-defined]
    if options.request_id or options.dry_run:
        return request
    copy = type(request)()
    copy.CopyFrom(request)
    copy.options.request_id = secrets.token_hex(16)  # type: ignore[attr-defined]
    return copy


class _Watchdog:
    """Cancels a stream on which nothing comes while its reader waits."""

    def __init__(self, opened: Any, silence: float) -> None:
        self._opened, self._silence, self._last = opened, silence, time.monotonic()
        self._done = threading.Event()

    def __enter__(self) -> _Watchdog:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        # It holds the stream, which must not be there when the program ends; see `end`.
        self._thread.join(END_SECONDS)

    def took(self) -> None:
        self._last = time.monotonic()

    def pause(self) -> None:
        self._last = math.inf

    def _run(self) -> None:
        while not self._done.wait(self._silence / 2):
            if time.monotonic() - self._last > self._silence:
                self._opened.cancel()
