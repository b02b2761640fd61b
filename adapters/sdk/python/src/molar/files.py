"""Files that are sent, and files that are received."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias
from uuid import uuid4

CHUNK = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class FileContent:
    """A file to send that has no path: bytes, or a stream.

    A stream is sent once: if the connection breaks, the error says whether the service may have it.
    """

    name: str
    content: bytes | IO[bytes]


Upload: TypeAlias = str | Path | FileContent
"""A file to send: the path of one of this machine, or a content with a name."""

Progress: TypeAlias = Callable[[int, int | None], None]
"""Is told how much was sent, and of how much; None if that is not known."""


@dataclass
class Form:
    """The form of an upload, which can be read again unless it is once."""

    content_type: str
    length: int | None
    once: bool
    parts: Callable[[], Iterator[bytes]]
    unreadable: OSError | None = None
    """Why the file could not be read, which is no fault of the connection."""


def form_of(upload: Upload, fields: Mapping[str, Any], progress: Progress | None) -> Form:
    """Return the form of a file and the fields beside it."""
    file = Path(upload) if isinstance(upload, str) else upload
    boundary = uuid4().hex
    name = file.name.translate({34: "_", 13: "_", 10: "_"})
    head = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items() if value is not None
    )
    head += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
    first, last = head.encode(), f"\r\n--{boundary}--\r\n".encode()
    once, total = False, None
    if isinstance(file, Path):
        total = os.stat(file).st_size
    elif isinstance(file.content, bytes):
        total = len(file.content)
    else:
        once = True

    def parts() -> Iterator[bytes]:
        yield first
        sent = 0
        chunks = _chunks(file)
        while True:
            try:
                chunk = next(chunks, None)
            except OSError as error:
                form.unreadable = error
                raise
            if chunk is None:
                break
            yield chunk
            sent += len(chunk)
            if progress:
                progress(sent, total)
        yield last

    length = None if total is None else len(first) + total + len(last)
    form = Form(f"multipart/form-data; boundary={boundary}", length, once, parts)
    return form


def _chunks(file: Path | FileContent) -> Iterator[bytes]:
    if isinstance(file, Path):
        with file.open("rb") as f:
            while chunk := f.read(CHUNK):
                yield chunk
    elif isinstance(file.content, bytes):
        for at in range(0, len(file.content), CHUNK):
            yield file.content[at : at + CHUNK]
    else:
        while chunk := file.content.read(CHUNK):
            yield chunk


class Download:
    """A file of a reply. Read it, or iterate over it, and close it; as a context manager it closes itself."""

    def __init__(self, stream: IO[bytes], headers: dict[str, str], close: Callable[[], None]) -> None:
        self.content_type = headers.get("content-type", "")
        _, found, name = headers.get("content-disposition", "").partition("filename=")
        self.name: str | None = name.split(";")[0].strip('" ') if found else None
        self.headers = headers
        self._stream = stream
        self._close = close

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all."""
        return self._stream.read(size) if size >= 0 else self._stream.read()

    def __iter__(self) -> Iterator[bytes]:
        while chunk := self._stream.read(CHUNK):
            yield chunk

    def close(self) -> None:
        """End the download."""
        self._close()

    def __enter__(self) -> Download:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
