"""The client."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from molar.core import NO_OPTIONS, Call, Core, Options
from molar.errors import Kept, MolarConnectionError, MolarError, SignatureError
from molar.operations import ClaimsOperations, EligibilityOperations, EventsOperations, Operations
from molar.transport import Transport
from molar.types import (
    Claim,
    EligibilityCheck,
    EligibilityRequest,
    EligibilityRequestPatient,
    EligibilityRequestSubscriber,
    Event,
    EventsListParams,
)
from molar.webhooks import unwrap

POLL_EVERY = 1.0
READ_AGAIN = 5.0


class Eligibility(EligibilityOperations):
    """Checks."""

    def retry(self, check: EligibilityCheck, changes: Mapping[str, Any], *, options: Options = NO_OPTIONS) -> EligibilityCheck:
        """Send a check again that was rejected or failed, with changes.

        A field of an object changes alone, and None removes it. The new check names the old one as its parent,
        and has a key of its own.
        """
        body = _known(check.request.raw, EligibilityRequest.__annotations__)
        for name, of in (("subscriber", EligibilityRequestSubscriber), ("patient", EligibilityRequestPatient)):
            if body.get(name) is not None:
                body[name] = _known(body[name], of.__annotations__)
        body |= {
            "office_id": check.office_id,
            "payer_id": check.payer.id,
            "parent_id": check.id,
            "tenant_reference": check.tenant_reference,
        }
        call = Call("POST", "/eligibility", options, body=_merged(body, changes), keyed=True, answers=True)
        return EligibilityCheck(self._core.json(call))

    def suggested(self, check: EligibilityCheck) -> dict[str, Any]:
        """Return the changes that a rejection suggests, for retry. It is empty if the payer suggested none."""
        changes: dict[str, Any] = {}
        for reason in check.rejection.reasons if check.rejection else []:
            if reason.field is None or reason.suggested_value is None:
                continue
            of, _, name = reason.field.partition(".")
            if name:
                changes.setdefault(of, {})[name] = reason.suggested_value
            else:
                changes[of] = reason.suggested_value
        return changes


def _known(raw: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Leave out what a later service shows of a request, which this version does not know."""
    return {name: value for name, value in raw.items() if name in names}


def _merged(body: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    all_ = dict(body)
    for name, value in changes.items():
        had = all_.get(name)
        if isinstance(value, Mapping) and isinstance(had, Mapping):
            value = _merged(cast("Mapping[str, Any]", had), cast("Mapping[str, Any]", value))
        all_[name] = value
    return all_


def _passes(error: MolarError | MolarConnectionError) -> bool:
    """Tell whether what failed may succeed a little later."""
    return isinstance(error, MolarConnectionError) or error.retryable


class WaitError(Kept, TimeoutError):
    """A claim did not come to a state in time. ``claim`` is the claim as it was read last."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(f"claim {claim.id} is still {claim.state}")
        self.claim = claim


class Claims(ClaimsOperations):
    """Claims."""

    def __init__(self, core: Core, events: EventsOperations) -> None:
        super().__init__(core)
        self._events = events

    def wait(self, id: str, until: str | Collection[str] | Callable[[Claim], bool], timeout: float = 60) -> Claim:
        """Wait until a claim is in one of the states, for at most so many seconds.

        It follows the claim's events, and also reads the claim again every 5 s. A lost connection does not end it.
        """
        deadline = time.monotonic() + timeout
        newest: str | None = None
        claim: Claim | None = None
        while True:
            try:
                claim = self.get(id)
            except (MolarError, MolarConnectionError) as error:
                if claim is None or not _passes(error):
                    raise
            if until(claim) if callable(until) else claim.state in ([until] if isinstance(until, str) else until):
                return claim
            again = time.monotonic() + READ_AGAIN
            while time.monotonic() < again:
                if time.monotonic() >= deadline:
                    raise WaitError(claim)
                time.sleep(max(min(POLL_EVERY / 2, deadline - time.monotonic()), 0.001))
                try:
                    last = self._events.list(resource_id=id, limit=1).page().data
                except (MolarError, MolarConnectionError) as error:
                    if not _passes(error):
                        raise
                    continue
                if last and last[0].id != newest:
                    newest = last[0].id
                    break


class Events(EventsOperations):
    """Events."""

    def tail(
        self,
        after: str | None = None,
        *,
        type: list[str] | None = None,
        resource_id: str | None = None,
        options: Options = NO_OPTIONS,
    ) -> Iterator[Event]:
        """Yield the events after one, in their order, and then those that happen, for ever.

        Without one it begins with the oldest that is kept. Store the ID of each event when you are done with it:
        tail then goes on after it. It survives lost connections, and never skips an event: if those after the one
        are no longer kept, it raises EventExpiredError.
        """
        query: EventsListParams = {"order": "asc", "limit": 100}
        if type is not None:
            query["type"] = type
        if resource_id is not None:
            query["resource_id"] = resource_id
        while True:
            if after is not None:
                query["after"] = after
            try:
                page = self.list(options=options, **query).page()
            except (MolarError, MolarConnectionError) as error:
                if not _passes(error):
                    raise
                time.sleep(POLL_EVERY)
                continue
            for event in page.data:
                after = event.id
                yield event
            if not page.data:
                time.sleep(POLL_EVERY)


class Webhooks:
    """Webhooks."""

    unwrap = staticmethod(unwrap)
    SignatureError = SignatureError


class Molar(Operations):
    """Calls the API with a key. It is safe for use by several threads.

    Without ``api_key`` and ``base_url`` (the origin of the service) it takes MOLAR_API_KEY and MOLAR_BASE_URL.
    ``timeout`` is of an attempt, in seconds; uploads and downloads have 10 minutes. ``transport`` sends the
    requests in place of ``http.client``.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 45,
        max_retries: int = 2,
        transport: Transport | None = None,
    ) -> None:
        core = Core(api_key, base_url, timeout, max_retries, transport)
        super().__init__(core)
        self.eligibility = Eligibility(core)
        self.events = Events(core)
        self.claims = Claims(core, self.events)
        self.webhooks = Webhooks()
        self._core = core

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        options: Options = NO_OPTIONS,
    ) -> dict[str, Any]:
        """Send any request, such as one that this version does not know. The path follows /api/v1."""
        call = Call(method, path, options, query=query, body=body, keyed=method not in ("GET", "HEAD"))
        return self._core.json(replace(call))
