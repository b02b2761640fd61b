"""The errors of the client."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, cast

from molar.types import EligibilityCheck


class Fault(NamedTuple):
    """A fault of one field of a request. ``field`` is a path, such as ``lines.0.procedure_code``."""

    field: str
    code: str
    message: str


class Kept:
    """An error that pickle keeps, as a process pool needs it. Python would make it again from its text."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes the error again."""
        return _again, (type(self), cast("BaseException", self).args, self.__dict__)


def _again(of: type[BaseException], args: tuple[Any, ...], fields: dict[str, Any]) -> BaseException:
    error = of.__new__(of, *args)
    error.args = args  # a TimeoutError has none yet
    error.__dict__.update(fields)
    return error


class MolarError(Kept, Exception):
    """An error reply of the API. Its subclasses tell what a program does about it."""

    def __init__(self, status: int, headers: dict[str, str], body: dict[str, Any], origin: str) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        """The body, with fields that this version does not know."""
        self.code: str = str(body.get("error", ""))
        self.message: str = str(body.get("message", ""))
        if not self.code:
            self.message = "The reply is not one of Molar. Check the base URL, and what stands before the service."
        faults = cast("list[dict[str, str]]", body.get("errors") or [])
        self.faults = [Fault(f.get("field", ""), f.get("code", ""), f.get("message", "")) for f in faults]
        self.request_id = headers.get("x-request-id", "")
        """Quote it when you ask the people who run the service."""
        self.doc_url: str | None = origin + str(body["doc_url"]) if body.get("doc_url") else None
        asked = headers.get("x-should-retry")
        self.retryable = asked == "true" if asked is not None or self.code else status in (502, 503, 504)
        """The same request may succeed later. The client has tried already."""
        self.needs_new_key = body.get("needs_new_key") is True
        """The idempotency key keeps this reply: to try again, send a new one."""
        text = "; ".join([f"{status} {self.code}: {self.message}", *(f"{f.field}: {f.message}" for f in self.faults)])
        super().__init__(text + (f" ({self.request_id})" if self.request_id else ""))


class InvalidRequestError(MolarError):
    """Change the fields that ``faults`` names."""


class AuthenticationError(MolarError):
    """The key does not work."""


class PermissionDeniedError(MolarError):
    """The key may not do this."""


class NotFoundError(MolarError):
    """Nothing with this ID, for this key."""


class EventExpiredError(NotFoundError):
    """The events after the given one are no longer kept."""

    @property
    def oldest_event_id(self) -> str | None:
        """The oldest event that is kept."""
        return self.body.get("oldest_event_id")


class ConflictError(MolarError):
    """The resource is in another state, or has changed."""


class RateLimitError(MolarError):
    """Too many requests."""


class _CheckError(MolarError):
    @property
    def check(self) -> EligibilityCheck | None:
        """The eligibility check that failed, if the error is of one."""
        raw = self.body.get("check")
        return None if raw is None else EligibilityCheck(raw)


class PayerError(_CheckError):
    """The payer or its network refused, or did not respond."""


class ServiceError(_CheckError):
    """Molar failed, or is not ready."""


class MolarConnectionError(Kept, Exception):
    """A request without a reply."""

    def __init__(self, origin: str, cause: BaseException, maybe_received: bool, ended: bool = False) -> None:
        self.maybe_received = maybe_received
        """The service may have the request. Send a write again with the same key, and it happens once."""
        self.ended = ended
        known = "may have received" if maybe_received else "did not receive"
        super().__init__(f"{origin} did not reply: {cause or type(cause).__name__}; the service {known} the request")


class SignatureError(Kept, Exception):
    """A webhook that is not signed with any of the secrets, or that is too old."""

    def __init__(self) -> None:
        super().__init__("the webhook is not signed with this secret, or not in the last 5 minutes")


def refused(status: int, headers: dict[str, str], text: bytes, origin: str) -> MolarError:
    """Read an error reply."""
    try:
        read = json.loads(text)
    except ValueError:
        read = None  # a proxy replied
    body = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    return _class_of(status, str(body.get("error", "")))(status, headers, body, origin)


def _class_of(status: int, code: str) -> type[MolarError]:
    if code.startswith("PAYER_") or code.endswith("NETWORK_ERROR"):
        return PayerError
    if code == "EVENT_EXPIRED":
        return EventExpiredError
    by_status: dict[int, type[MolarError]] = {
        401: AuthenticationError,
        403: PermissionDeniedError,
        404: NotFoundError,
        410: NotFoundError,
        409: ConflictError,
        412: ConflictError,
        429: RateLimitError,
    }
    return by_status.get(status, ServiceError if status >= 500 else InvalidRequestError)
