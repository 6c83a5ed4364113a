"""The forms of a call. A service has one such object for each of its calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import grpc
from google.protobuf.message import Message

from .errors import call_error

if TYPE_CHECKING:
    from .client import Client

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)
Item = TypeVar("Item")
Metadata = Sequence[tuple[str, str]]
#: The most seconds that the end of a stream waits for gRPC's own thread.
END_SECONDS = 1.0


def end(opened: Any) -> None:
    """Cancels a stream, and waits until gRPC's own thread has seen its end.

    A program that ends before may hang for ever. Python stops that thread, maybe while it holds the
    lock of the stream, and the stream asks for this lock once more when it is collected.
    """
    ended = threading.Event()
    opened.cancel()
    if opened.add_callback(ended.set):
        ended.wait(END_SECONDS)


class Call(Generic[Request, Response]):
    """A call of a service: its path, and its messages."""

    def __init__(
        self, client: Client, path: str, request: type[Request], response: type[Response],
        writes: bool = False,
    ) -> None:
        self.path = path
        #: Whether a repeated call needs a request id, so that it is done once.
        self.writes = writes
        self._client = client
        self._request = request
        self._response = response
        self._encode: Callable[[Request], bytes] = request.SerializeToString
        self._decode: Callable[[bytes], Response] = response.FromString


class Unary(Call[Request, Response]):
    """A call of one request and one answer."""

    def __call__(
        self, request: Request, *, timeout: float | None = None, metadata: Metadata = ()
    ) -> Response:
        return self._client.call(self, request, timeout=timeout, metadata=metadata)


class Pages(Unary[Request, Response]):
    """A call that answers by pages."""

    def pages(
        self, request: Request, *, timeout: float | None = None, metadata: Metadata = ()
    ) -> Iterator[Response]:
        """Each page, from that of the request's token on. Only a missing token ends a list."""
        asked = self._request()
        asked.CopyFrom(request)
        while True:
            page = self(asked, timeout=timeout, metadata=metadata)
            yield page
            token = page.next_page_token  # type: ignore[attr-defined]
            if not token:
                return
            asked.page_token = token  # type: ignore[attr-defined]


class Paged(Pages[Request, Response], Generic[Request, Response, Item]):
    """A call that answers one list by pages."""

    def __init__(
        self, client: Client, path: str, request: type[Request], response: type[Response],
        items: Callable[[Response], Iterable[Item]],
    ) -> None:
        super().__init__(client, path, request, response)
        self._items = items

    def all(
        self, request: Request, *, timeout: float | None = None, metadata: Metadata = ()
    ) -> Iterator[Item]:
        """Each item of all pages, which are asked for as they are needed."""
        for page in self.pages(request, timeout=timeout, metadata=metadata):
            yield from self._items(page)


class Stream(Generic[Response]):
    """An open stream of answers. As a context manager it is cancelled at the end."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def __enter__(self) -> Stream[Response]:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()

    def __iter__(self) -> Iterator[Response]:
        return self

    def __next__(self) -> Response:
        try:
            return next(self._opened)
        except grpc.RpcError as error:
            raise call_error(error) from None

    def cancel(self) -> None:
        """Ends the stream."""
        end(self._opened)


class ServerStream(Call[Request, Response]):
    """A call of one request and many answers. It has no deadline unless one is given."""

    def __call__(
        self, request: Request, *, timeout: float | None = None, metadata: Metadata = ()
    ) -> Stream[Response]:
        return self._client.stream(self, request, timeout=timeout, metadata=metadata)


class BothStream(Call[Request, Response]):
    """A call of many requests and many answers. It has no deadline unless one is given."""

    def __call__(
        self, requests: Iterable[Request], *, timeout: float | None = None,
        metadata: Metadata = (),
    ) -> Stream[Response]:
        return self._client.stream(self, requests, timeout=timeout, metadata=metadata)
