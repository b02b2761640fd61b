"""How requests are sent, and sent again."""

from __future__ import annotations

import json
import os
import platform
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit
from uuid import uuid4

from molar.errors import MolarConnectionError, MolarError, refused
from molar.files import Download, Form, Progress, Upload, form_of
from molar.transport import Connections, NotSent, Request, Response, Transport
from molar.version import VERSION

WHOLE_TIMEOUT = 120.0
FILE_TIMEOUT = 600.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0


@dataclass
class Reply:
    """What came beside the value of a reply."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=lambda: {})
    request_id: str = ""
    replayed: bool = False
    """The reply is that of an earlier request with the same key."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What one call may change."""

    idempotency_key: str | None = None
    """The idempotency key of a write, in place of a random one. Derive it from your own record."""
    if_version: int | None = None
    """Refuses the write with CHANGED_MEANWHILE if the resource has another version."""
    fresh: bool = False
    """Makes a check ask the payer, even if a saved answer is not a day old."""
    headers: Mapping[str, str] = field(default_factory=lambda: {})
    progress: Progress | None = None
    """Is told how much of an upload was sent."""
    reply: Reply | None = None
    """Receives what came beside the value of the last reply."""


NO_OPTIONS = Options()


@dataclass
class Call:
    """A request of the API."""

    method: str
    path: str
    options: Options = NO_OPTIONS
    query: Mapping[str, Any] | None = None
    body: Any = None
    file: Upload | None = None
    form: Mapping[str, Any] | None = None
    keyed: bool = False
    answers: bool = False


def part(text: str) -> str:
    """Return a part of a path."""
    return quote(text, safe="")


def encode(value: Any) -> Any:
    """Write what JSON has no form for: amounts, dates and times."""
    if isinstance(value, Decimal):
        return amount(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a time needs a time zone, such as datetime.now(timezone.utc)")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no value of the API")


def amount(value: Decimal) -> str:
    """Write an amount of dollars with its cents."""
    cents = value.quantize(Decimal("0.01"))
    if cents != value:
        raise ValueError(f"{value} is not a whole number of cents")
    return f"{cents:f}"


class Core:
    """Sends requests."""

    def __init__(
        self, api_key: str | None, base_url: str | None, timeout: float, max_retries: int, transport: Transport | None
    ) -> None:
        key = api_key or os.environ.get("MOLAR_API_KEY")
        if not key:
            raise ValueError("there is no API key: set MOLAR_API_KEY or api_key")
        origin = (base_url or os.environ.get("MOLAR_BASE_URL") or "http://127.0.0.1:8080").rstrip("/")
        url = urlsplit(origin)
        if url.scheme not in ("http", "https") or not url.hostname or url.path or url.query or url.username:
            raise ValueError(f"{origin!r} is not the origin of a service: give one such as https://molar.example, without a path")
        self.origin = origin
        self._key = key
        self._timeout = timeout
        self._max_retries = max_retries
        self._transport: Transport = transport or Connections(origin)

    def json(self, call: Call) -> dict[str, Any]:
        """Send a request, and return the value of its reply."""
        try:
            text = self.send(call)
        except MolarError as error:
            if call.answers and error.code == "PAYER_REJECTED" and error.body.get("check"):
                return cast("dict[str, Any]", error.body["check"])
            raise
        try:
            return json.loads(text) if text else {}
        except ValueError:
            raise refused(200, {}, text, self.origin) from None

    def send(self, call: Call) -> bytes:
        """Send a request, and return the body of its reply."""
        response = self._send(call, streams=False)
        return response.body

    def download(self, call: Call) -> Download:
        """Send a request whose reply is a file."""
        r = self._send(call, streams=True)
        return Download(r.stream, r.headers, r.close)

    def _send(self, call: Call, streams: bool) -> Response:
        options = call.options
        key = options.idempotency_key or (str(uuid4()) if call.keyed else None)
        form = form_of(call.file, call.form or {}, options.progress) if call.file is not None else None
        timeout = max(self._timeout, FILE_TIMEOUT) if form or streams else self._timeout
        deadline = time.monotonic() + max(WHOLE_TIMEOUT, timeout)
        retries = 0
        while True:
            try:
                return self._attempt(call, key, form, max(min(timeout, deadline - time.monotonic()), 0.001), streams)
            except (MolarError, MolarConnectionError) as error:
                wait = None if form and form.once else self._again(call, key, error, retries)
                if wait is None or time.monotonic() + wait > deadline:
                    raise
                if not (isinstance(error, MolarError) and error.code == "IDEMPOTENCY_KEY_IN_USE"):
                    retries += 1  # waiting for one's own key is none
            time.sleep(wait)

    def _again(self, call: Call, key: str | None, error: MolarError | MolarConnectionError, retries: int) -> float | None:
        """Return after what time a request is sent again, or None."""
        pause = FIRST_PAUSE * 2**retries * (1 - random.random() / 4)
        if isinstance(error, MolarError):
            asked = error.headers.get("retry-after", "")
            if asked.isdigit():
                pause = max(pause, float(asked))
            counts = error.code == "IDEMPOTENCY_KEY_IN_USE" or retries < self._max_retries
            return pause if error.retryable and counts and pause <= LONGEST_PAUSE else None
        safe = key is not None or call.method == "GET" or not call.keyed
        return pause if safe and not error.ended and retries < self._max_retries else None

    def _attempt(self, call: Call, key: str | None, form: Form | None, timeout: float, streams: bool) -> Response:
        options = call.options
        headers = {
            "Authorization": f"Bearer {self._key}",
            "User-Agent": f"molar-python/{VERSION} (python {platform.python_version()})",
        }
        if key is not None:
            headers["Idempotency-Key"] = key
        if options.if_version is not None:
            headers["If-Match"] = f'"{options.if_version}"'
        if options.fresh:
            headers["Cache-Control"] = "no-cache"
        body: bytes | Iterator[bytes] | None = None
        if form is not None:
            headers["Content-Type"] = form.content_type
            if form.length is not None:
                headers["Content-Length"] = str(form.length)
            body = form.parts()
        elif call.body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(call.body, default=encode).encode()
            headers["Content-Length"] = str(len(body))
        headers.update(options.headers)
        target = "/api/v1" + call.path + _query(call.query)
        try:
            response = self._transport(Request(call.method, self.origin + target, headers, body, timeout, streams))
        except NotSent as error:
            raise MolarConnectionError(self.origin, error.__cause__ or error, maybe_received=False) from error
        except OSError as error:
            if form is not None and form.unreadable is not None:
                raise form.unreadable from None
            raise MolarConnectionError(self.origin, error, maybe_received=True) from error
        if options.reply is not None:
            options.reply.status = response.status
            options.reply.headers = response.headers
            options.reply.request_id = response.headers.get("x-request-id", "")
            options.reply.replayed = response.headers.get("idempotent-replayed") == "true"
        if response.status >= 300:
            raise refused(response.status, response.headers, response.body, self.origin)
        return response


def _query(params: Mapping[str, Any] | None) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in (params or {}).items():
        for one in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if one is None:
                continue
            if isinstance(one, bool):
                one = "true" if one else "false"
            elif isinstance(one, Decimal | date):
                one = encode(one)
            pairs.append((name, str(one)))
    return "?" + urlencode(pairs) if pairs else ""
