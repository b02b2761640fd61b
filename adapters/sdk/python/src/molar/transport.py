"""How bytes travel: HTTP/1.1 over connections that are kept."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, TypeAlias
from urllib.parse import urlsplit


class NotSent(OSError):
    """There was no connection: the service did not receive the request."""


@dataclass
class Request:
    """A request, as a transport sends it."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes | Iterator[bytes] | None
    timeout: float
    """In seconds, for each step of the connection."""
    streams: bool
    """The caller reads the body of a good reply itself."""


@dataclass
class Response:
    """A reply. The names of the headers are in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes
    stream: IO[bytes]
    close: Callable[[], None]


Transport: TypeAlias = Callable[[Request], Response]
"""Sends a request once. It raises NotSent without a connection, and another OSError without a reply."""

KEPT = 8


class Connections:
    """The transport of the standard library. It keeps connections, and is safe for several threads."""

    def __init__(self, origin: str) -> None:
        url = urlsplit(origin)
        self._host, self._port = url.hostname or "", url.port
        self._class = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Response:
        """Send a request. A kept connection that the service has closed meanwhile is replaced."""
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept is not None and _closed(kept):
            kept.close()
            kept = None
        connection = kept or self._connect(request.timeout)
        if connection.sock:
            connection.sock.settimeout(request.timeout)
        try:
            return self._send(connection, request)
        except http.client.HTTPException as error:
            connection.close()
            raise ConnectionError(str(error) or type(error).__name__) from error
        except BaseException:
            connection.close()
            raise

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        connection = self._class(self._host, self._port, timeout=timeout)
        try:
            connection.connect()
        except OSError as error:
            raise NotSent(str(error)) from error
        return connection

    def _send(self, connection: http.client.HTTPConnection, request: Request) -> Response:
        path = request.url[request.url.index("/", len("https://")) :]
        chunked = not isinstance(request.body, bytes | None) and "Content-Length" not in request.headers
        if chunked:
            request.headers["Transfer-Encoding"] = "chunked"
        try:
            connection.request(request.method, path, request.body, request.headers, encode_chunked=chunked)
        except (BrokenPipeError, ConnectionResetError):
            if isinstance(request.body, bytes | None):
                raise
            # The service may have replied before it had the whole file.
        reply = connection.getresponse()
        headers = {name.lower(): value for name, value in reply.getheaders()}
        if request.streams and reply.status < 300:
            return Response(reply.status, headers, b"", reply, connection.close)
        body = reply.read()
        if reply.will_close:
            connection.close()
        else:
            with self._lock:
                if len(self._idle) < KEPT:
                    self._idle.append(connection)
        return Response(reply.status, headers, body, reply, connection.close)


def _closed(connection: http.client.HTTPConnection) -> bool:
    """Tell whether the service has closed a kept connection."""
    sock = connection.sock
    if sock is None:
        return True
    try:
        sock.settimeout(0)
        return sock.recv(1) == b"" or True  # unasked bytes are as bad
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True
