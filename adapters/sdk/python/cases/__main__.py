"""The client cases in Python. See cases.md; the environment is that of the test that runs them."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import molar
from molar.types import Claim, ClaimPaymentData, EligibilityBatch, SandboxFaultRuleRequest

ENV = os.environ
client = molar.Molar()
cut = molar.Molar(base_url=ENV["MOLAR_CUT_URL"])
image = Path(ENV["MOLAR_IMAGE"])
yesterday = (client.sandbox.clock().now - timedelta(days=1)).date()
office = client.offices.create(
    name="Cases",
    npi="1234567893",
    tax_id="123456789",
    phone="5185550100",
    address={"line1": "1 Main Street", "city": "Albany", "state": "NY", "zip": "122070001"},
).id
client.providers.create(first_name="Ann", last_name="Rivers", npi="1679576722", taxonomy="1223G0001X")
client.sandbox.update_clock(running=False)


def check(ending: str, options: molar.Options | None = None) -> Any:
    return client.eligibility.create(
        office_id=office,
        payer_id="CHTEST",
        subscriber={"first_name": "Jane", "last_name": "Doe", "date_of_birth": "1985-04-12", "member_id": f"W{uuid4().hex[:6]}{ending}"},
        options=options or molar.Options(),
    )


def claim(ending: str = "", draft: bool = False, by: molar.Molar = client, options: molar.Options | None = None, **more: Any) -> Claim:
    return by.claims.create(
        office_id=office,
        payer_id="CHTEST",
        **({"draft": True} if draft else {"submit": True}),
        subscriber={
            "first_name": "Jane",
            "last_name": "Doe",
            "gender": "female",
            "date_of_birth": "1985-04-12",
            "member_id": f"W{uuid4().hex[:6]}{ending}",
            "address": {"line1": "2 Oak Street", "city": "Springfield", "state": "IL", "zip": "62701"},
        },
        lines=[{"procedure_code": "D2740", "fee": Decimal("1000.00"), "tooth": "14", "service_date": yesterday}],
        options=options or molar.Options(),
        **more,
    )


def attachment() -> str:
    return client.attachments.create(claim_id=claim(draft=True).id, narrative="See the film.").id


def advance(by: str | None = None) -> None:
    if by is None:
        client.sandbox.advance_clock(until="idle")
    else:
        client.sandbox.advance_clock(by=by)
    while client.sandbox.clock().state != "ready":
        time.sleep(0.05)


def upload(by: molar.Molar, file: molar.Upload, to: str, options: molar.Options) -> Any:
    return by.attachments.upload_document(
        to, file, document_type="12", image_date=yesterday, orientation="right", options=options
    )


def refused(kind: type[BaseException], do: Callable[[], Any]) -> Any:
    try:
        do()
    except kind as error:
        again = pickle.loads(pickle.dumps(error))  # as a process pool sends it
        assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__), again
        return error
    raise AssertionError(f"no {kind.__name__}")


def faults(*rules: SandboxFaultRuleRequest) -> None:
    client.sandbox.put_faults(rules=list(rules))


def check_answered() -> None:
    c = check("-ACTIVE-FULL")
    assert (c.outcome, c.status) == ("answered", "active"), c
    assert c.maximums and isinstance(c.maximums[0].amount, Decimal), c
    assert client.eligibility.get(c.id).id == c.id
    assert copy.deepcopy(c) == c and pickle.loads(pickle.dumps(c)) == c, "a cache keeps it"
    assert client.eligibility.exchange(c.id).raw["object"] == "eligibility_exchange"


def check_rejected_then_retried() -> None:
    c = check("-NAME-MISMATCH")
    assert c.outcome == "rejected" and c.rejection.reasons[0].code == "NAME_MISMATCH", c
    again = client.eligibility.retry(c, client.eligibility.suggested(c))
    assert (again.outcome, again.parent_id) == ("answered", c.id), again


def check_unanswered_raises_with_check() -> None:
    error = refused(molar.PayerError, lambda: check("-PAYER-DOWN"))
    assert (error.status, error.code, error.retryable, error.needs_new_key) == (502, "PAYER_UNAVAILABLE", False, True), error
    assert error.check is not None and error.check.outcome == "payer_unavailable", error


def same_key_replayed() -> None:
    reply, key = molar.Reply(), str(uuid4())
    request: dict[str, Any] = {"first_name": "Pat", "last_name": "Roe", "npi": "1679576722", "taxonomy": "1223G0001X"}
    first = client.providers.create(**request, options=molar.Options(idempotency_key=key))
    second = client.providers.create(**request, options=molar.Options(idempotency_key=key, reply=reply))
    assert first.id == second.id and reply.replayed, reply


def upload_with_progress() -> None:
    told: list[tuple[int, int | None]] = []
    a = upload(client, image, attachment(), molar.Options(progress=lambda sent, total: told.append((sent, total))))
    assert len(a.documents) == 1 and told[-1] == (image.stat().st_size, image.stat().st_size), told
    assert len(upload(client, str(image), attachment(), molar.Options()).documents) == 1, "the path may be a text"


def upload_stream_sent_once() -> None:
    to = attachment()
    stream = molar.FileContent(name="x.jpg", content=io.BytesIO(image.read_bytes() * 200))
    error = refused(molar.MolarConnectionError, lambda: upload(cut, stream, to, molar.Options(headers={"X-Cut": "upload"})))
    assert error.maybe_received, error
    assert client.attachments.get(to).documents == []


def cut_upload_retried() -> None:
    a = upload(cut, image, attachment(), molar.Options(headers={"X-Cut": "upload"}))
    assert len(client.attachments.get(a.id).documents) == 1


def download_stream() -> None:
    a = upload(client, image, attachment(), molar.Options())
    with client.attachments.download_document(a.id, a.documents[0].id) as d:
        content = b"".join(d)
    assert d.content_type == "image/jpeg" and content.startswith(b"\xff\xd8"), d.content_type


def attachment_closed() -> None:
    a = upload(client, image, attachment(), molar.Options())
    a = client.attachments.close(a.id)
    assert a.state == "closed" and a.attachment_number, a


def posted(c: Claim) -> None:
    eras = [e for e in client.eras.list(claim_id=c.id)]
    client.eras.post(eras[0].id)


def claim_draft_to_reconciled() -> None:
    c = claim(draft=True)
    assert c.state == "draft", c.state
    client.claims.update(c.id, submit=True)
    advance()
    c = client.claims.get(c.id)
    assert c.state == "paid", c.state
    posted(c)
    assert client.claims.reconcile(c.id).state == "reconciled"


def claim_waited_for() -> None:
    c = claim()
    moving = threading.Thread(target=advance)
    moving.start()
    assert client.claims.wait(c.id, "paid", timeout=60).state == "paid"
    moving.join()


def claim_status_asked() -> None:
    c = claim()
    moving = threading.Thread(target=advance)
    moving.start()
    client.claims.wait(c.id, "paid", timeout=60)
    moving.join()
    i = client.claims.ask_status(c.id)
    assert i.outcome == "found" and i.matches == "control_number" and i.statuses[0].paid is not None, i
    assert client.status_inquiries.get(i.id).id == i.id
    assert len(client.status_inquiries.exchange(i.id).messages) == 1
    draft = claim(draft=True)
    refused(molar.ConflictError, lambda: client.claims.ask_status(draft.id))


def status_policy_kept() -> None:
    p = client.status_policies.put("CHTEST", status_after="P10D")
    assert p.status_after == "P10D" and p.status_every == "P7D", p
    assert [x.id for x in client.status_policies.list().page().data] == [p.id]
    client.status_policies.delete("CHTEST")
    refused(molar.NotFoundError, lambda: client.status_policies.delete("CHTEST"))


def appeal_sent() -> None:
    c = claim()
    moving = threading.Thread(target=advance)
    moving.start()
    client.claims.wait(c.id, "paid", timeout=60)
    moving.join()
    a = client.appeals.create(c.id, reason="The film shows decay.")
    assert a.state == "draft" and a.deadline.days == 180 and "The film shows decay." in a.letter, a
    refused(molar.ConflictError, lambda: client.appeals.create(c.id, reason="Again."))
    day = yesterday  # at the office it may still be the day before the one of UTC
    changed = client.appeals.update(a.id, letter="Dear reviewer", deadline_on="2099-12-31")
    assert changed.letter == "Dear reviewer" and str(changed.deadline.on) == "2099-12-31", changed
    sent = client.appeals.record_sent(a.id, on=str(day), by="fax", reference="77")
    assert sent.sent is not None and sent.sent.reference == "77" and sent.due_on is not None, sent
    decided = client.appeals.record_decided(a.id, outcome="upheld")
    assert decided.decided is not None and decided.decided.on >= day and decided.due_on is None, decided
    assert [x.id for x in client.appeals.list(c.id).page().data] == [client.appeals.get(a.id).id]


def payer_limits_kept() -> None:
    limits = client.payer_limits.put("CHTEST", filing_days=365, filing_source="page 12")
    assert limits.filing_days == 365 and limits.appeal_days is None, limits
    assert [x.payer.payer_id for x in client.payer_limits.list().page().data] == ["CHTEST"]
    client.payer_limits.delete("CHTEST")
    refused(molar.NotFoundError, lambda: client.payer_limits.delete("CHTEST"))


def attachment_rule_kept() -> None:
    r = client.attachment_rules.create(payer_id="CHTEST", procedure_codes=["D2740"], needs=["photo"])
    assert r.when == "initial", r
    c = client.claims.update(claim(draft=True).id)
    assert [(a.code, a.rule.id) for a in c.advice] == [("photo_missing", r.id)], c.advice
    sent = client.claims.submit(c.id, advice_ignored={"photo_missing": "The payer has it."})
    assert sent.state == "queued" and sent.advice_ignored[0].code == "photo_missing", sent
    r = client.attachment_rules.update(r.id, payer_id=None, options=molar.Options(if_version=r.version))
    assert r.payer is None and r.version == 2, r
    assert [x.id for x in client.attachment_rules.list().page().data] == [r.id]
    client.attachment_rules.delete(r.id)
    refused(molar.NotFoundError, lambda: client.attachment_rules.delete(r.id))


def claim_wait_times_out() -> None:
    error = refused(molar.WaitError, lambda: client.claims.wait(claim(draft=True).id, "paid", timeout=0.7))
    assert error.claim.state == "draft", error


def claim_changed_meanwhile() -> None:
    c = claim(draft=True)
    changed = client.claims.update(c.id, draft=True, note="one", options=molar.Options(if_version=c.version))
    assert changed.version == c.version + 1
    error = refused(molar.ConflictError, lambda: client.claims.update(c.id, draft=True, note="two", options=molar.Options(if_version=c.version)))
    assert (error.status, error.code) == (412, "CHANGED_MEANWHILE") and error.body["changed"], error


def claim_voided() -> None:
    c = claim()
    assert client.claims.void(c.id).state == "voided"


def remittance_finished() -> None:
    c = claim("-UNBALANCED")
    advance()
    era = next(iter(client.eras.list(needs_attention=True, claim_id=c.id)))
    part = next(iter(client.eras.list_claims(era.id)))
    assert part.status == "needs_review", part
    done = client.eras.apply_claim(era.id, str(part.ordinal), note="The payer confirmed it by telephone.")
    assert done.status == "applied", done
    client.eras.post(era.id)
    assert client.claims.reconcile(c.id).state == "reconciled"


def remittance_imported() -> None:
    c = claim()
    advance()
    era = next(iter(client.eras.list(claim_id=c.id)))
    with client.eras.file(era.id) as f:
        content = f.read()
    known = client.eras.import_(molar.FileContent(name="again.835", content=content))
    assert [p.status for p in known.payments] == ["duplicate"] and known.payments[0].era_id == era.id, known


def payer_request_answered() -> None:
    c = claim(draft=True)
    r = client.payer_requests.create(claim_id=c.id, reference_number="R-2207", requested="A film of tooth 14.")
    a = client.attachments.create(payer_request_id=r.id, kind="solicited")
    upload(client, image, a.id, molar.Options())
    answer = client.payer_requests.answer(r.id, narrative="The film that you asked for.")
    assert answer.payer_request.state == "answered", answer


def pages_iterated() -> None:
    made = {claim(draft=True).id for _ in range(3)}
    found = [c.id for c in client.claims.list(state=["draft"], limit=2)]
    assert made <= set(found) and len(found) == len(set(found)), found


def single_page_and_cursor() -> None:
    claim(draft=True)
    claim(draft=True)
    drafts = client.claims.list(state=["draft"], limit=1)
    first = drafts.page()
    assert len(first.data) == 1 and first.next_cursor is not None, first
    second = drafts.page(first.next_cursor)
    assert second.data[0].id != first.data[0].id, second


def events_tail_resumed() -> None:
    c = claim()
    advance("PT1H")
    want = [e.id for e in client.events.list(order="asc", resource_id=c.id)]
    assert len(want) >= 3, want
    got: list[str] = []
    for e in client.events.tail(resource_id=c.id):
        got.append(e.id)
        if len(got) == 2:
            break
    for e in client.events.tail(got[-1], resource_id=c.id):
        got.append(e.id)
        if len(got) == len(want):
            break
    assert got == want, (got, want)


def event_expired() -> None:
    tail = cut.events.tail("evt_00000000000000000000000000", options=molar.Options(headers={"X-Cut": "expired"}))
    error = refused(molar.EventExpiredError, lambda: next(tail))
    assert error.status == 410 and error.oldest_event_id == "evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", error


def webhooks() -> dict[str, Any]:
    return json.loads(Path(ENV["MOLAR_WEBHOOKS"]).read_text())


def webhook_verified() -> None:
    given = webhooks()
    w = given["paid"]
    event = client.webhooks.unwrap(w["body"].encode(), w["headers"], given["secret"])
    assert event.type == "claim.paid" and isinstance(event.data, ClaimPaymentData), event
    assert event.data.claim_payment and event.data.claim_payment.paid == Decimal("80.00"), event.data
    client.webhooks.unwrap(w["body"].encode(), w["headers"], given["other"], given["secret"])


def webhook_forged_refused() -> None:
    given = webhooks()
    w, old, secret = given["paid"], given["old"], given["secret"]
    refused(molar.SignatureError, lambda: client.webhooks.unwrap(w["body"].encode() + b" ", w["headers"], secret))
    refused(molar.SignatureError, lambda: client.webhooks.unwrap(w["body"].encode(), w["headers"], given["other"]))
    refused(molar.SignatureError, lambda: client.webhooks.unwrap(old["body"].encode(), old["headers"], secret))


def webhook_unknown_event_passes() -> None:
    given = webhooks()
    w = given["unknown"]
    event = client.webhooks.unwrap(w["body"].encode(), w["headers"], given["secret"])
    assert event.type == "claim.teleported" and isinstance(event.data, molar.Model) and event.data.raw["to"] == "Mars", event


def once(number: str) -> None:
    assert len(list(client.claims.list(patient_control_number=number))) == 1


def lost_reply_not_doubled() -> None:
    number = uuid4().hex[:12]
    reply = molar.Reply()
    c = claim(draft=True, by=cut, patient_control_number=number, options=molar.Options(headers={"X-Cut": "reply"}, reply=reply))
    assert c.patient_control_number.lower() == number and reply.replayed, reply
    once(number)


def rate_limited_waits() -> None:
    faults({"operation": "getSummary", "kind": "rate_limit", "times": 1})
    begun = time.monotonic()
    assert client.summary.get().raw["object"] == "summary"
    assert time.monotonic() - begun >= 0.37


def unavailable_retried() -> None:
    number = uuid4().hex[:12]
    faults({"operation": "createClaim", "kind": "error", "status": 503, "times": 2})
    claim(draft=True, patient_control_number=number)
    once(number)
    faults({"operation": "createClaim", "kind": "error", "status": 503, "times": 3})
    error = refused(molar.ServiceError, lambda: claim(draft=True))
    assert error.retryable, error
    faults()


def key_in_use_waits() -> None:
    options = molar.Options(idempotency_key=str(uuid4()))
    member = f"W{uuid4().hex[:6]}-SLOW-1"

    def one() -> Any:
        return client.eligibility.create(
            office_id=office,
            payer_id="CHTEST",
            subscriber={"first_name": "Jane", "last_name": "Doe", "date_of_birth": "1985-04-12", "member_id": member},
            options=options,
        )

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(one), pool.submit(one)
        assert first.result().id == second.result().id


def invalid_request_faults() -> None:
    error = refused(molar.InvalidRequestError, lambda: client.claims.create(office_id="nowhere", payer_id="CHTEST", lines=[{"fee": "1"}]))
    fields = {f.field for f in error.faults}
    assert error.status == 422 and len(fields) >= 2 and "lines.0.fee" in fields, error
    assert error.request_id.startswith("req_") and error.doc_url == ENV["MOLAR_BASE_URL"] + "/docs/errors/INVALID_REQUEST", error.doc_url


def not_found() -> None:
    error = refused(molar.NotFoundError, lambda: client.claims.get("clm_00000000000000000000000000"))
    assert error.status == 404 and not error.retryable, error


def permission_denied() -> None:
    reader = molar.Molar(ENV["MOLAR_READONLY_KEY"])
    refused(molar.PermissionDeniedError, lambda: reader.claims.create(office_id=office, payer_id="CHTEST"))


def wrong_key_refused() -> None:
    refused(molar.AuthenticationError, lambda: molar.Molar("molar_test_" + "0" * 38).me.get())


def patch_absent_null_value() -> None:
    c = claim(draft=True, note="stays", prior_authorization="PA-1")
    c = client.claims.update(c.id, draft=True, prior_authorization=None, referral_number="R-1")
    assert (c.note, c.prior_authorization, c.referral_number) == ("stays", None, "R-1"), c


def patient_overview() -> None:
    c = check("-ACTIVE-FULL")
    assert c.patient_id, c
    o = client.patients.overview(c.patient_id)
    assert o.patient.id == c.patient_id and isinstance(o.owed, Decimal), o
    assert any(each.id == c.id and each.verdict and each.verdict.text.startswith("Covered. ") for each in o.checks), o.checks
    assert any(plan.member_id == c.request.subscriber.member_id for plan in o.coverages), o.coverages


def amounts_are_exact() -> None:
    c = claim(draft=True)
    lines: Any = [{"procedure_code": "D0220", "fee": fee, "service_date": yesterday, "tooth": "14"} for fee in (Decimal("0.1"), Decimal("0.20"), "0.30")]
    c = client.claims.update(c.id, draft=True, lines=lines)
    assert sum(line.fee or 0 for line in c.lines) == Decimal("0.60"), c.lines
    refused(ValueError, lambda: client.claims.update(c.id, patient_paid=Decimal("0.001")))


def fee_found() -> None:
    fees: Any = {
        "name": "Fees", "kind": "allowed", "payer_id": "CHTEST", "effective_from": "2026-01-01",
        "rows": [{"procedure_code": "D0120", "amount": Decimal("41.05")}],
    }
    made = client.fee_schedules.create(**fees)
    refused(molar.InvalidRequestError, lambda: client.fee_schedules.create(**fees))
    found = client.fee_schedules.match(procedure_code="D0120", date="2026-05-04", payer_id="CHTEST")
    assert found.allowed and found.allowed.schedule_id == made.id and found.allowed.amount == Decimal("41.05") and found.schedules[0].counts, found
    assert client.fee_schedules.get(made.id).rows[0].amount == Decimal("41.05")


def schedule_read() -> None:
    client.import_mappings.put("schedule", payers=[{"name": "our payer", "payer_id": "CHTEST"}])
    assert client.import_mappings.get("schedule").payers[0].payer.payer_id == "CHTEST"
    read = client.eligibility.read_schedule(
        office_id=office, csv='Patient,DOB,Payer,Member ID\n"Example, Sam",2/29/1984,Our Payer,W1\n"Sample, Ann",4/30/80,CHTEST,W2\n'
    )
    assert read.rows[0].item and read.rows[0].item.subscriber.last_name == "Example", read
    wrong = read.rows[1].faults[0]
    assert read.rows[1].item is None and wrong.column == 2 and wrong.candidates[0].value == "4/30/1980", read


def estimate_made() -> None:
    c, rejected = check("-ACTIVE-FULL"), check("-NAME-MISMATCH")
    lines: Any = [{"procedure_code": "D2740", "fee": Decimal("1250.00"), "allowed": Decimal("900.00"), "tooth": "2"}]
    seen = client.estimates.create(eligibility_id=c.id, lines=lines, preview=True)
    made = client.estimates.create(eligibility_id=c.id, lines=lines)
    refused(molar.ConflictError, lambda: client.estimates.create(eligibility_id=rejected.id, lines=lines))
    assert made.id
    line = client.estimates.get(made.id).lines[0]
    assert seen.id is None and len(list(client.estimates.list(eligibility_id=c.id))) == 1
    assert line.write_off.most + line.plan_pays.most + line.second_plan_pays.most + line.patient_pays.most == Decimal("1250.00"), line
    assert line.patient_pays.least == Decimal("450.00"), line


def estimate_accuracy() -> None:
    c = check("-ACTIVE-FULL")
    lines: Any = [{"procedure_code": "D2740", "fee": Decimal("1250.00")}]
    made = client.estimates.create(eligibility_id=c.id, lines=lines)
    assert made.id
    number = made.id
    refused(molar.ConflictError, lambda: client.estimates.accuracy(number))
    assert list(client.estimates.accuracy_by_payer()) == []


def report_adds_up() -> None:
    total = client.reports.aging(by="service").total.insurance.total
    claims = list(client.claims.list(open=True, last_payer=True, sent=True))
    assert total.amount == sum(c.open or 0 for c in claims), total
    assert total.claims == len(claims), total


def checks_of_a_batch() -> None:
    def item(name: str, payer: str, ending: str) -> Any:
        who = {"first_name": "Jane", "last_name": "Doe", "date_of_birth": "1985-04-12", "member_id": f"W{uuid4().hex[:6]}{ending}"}
        return {"item_id": name, "office_id": office, "payer_id": payer, "subscriber": who}

    def done(id: str) -> EligibilityBatch:
        while (batch := client.eligibility_batches.get(id)).pending > 0:
            time.sleep(0.1)
        return batch

    items = [item("active", "CHTEST", "-ACTIVE-FULL"), item("rejected", "CHTEST", "-NOT-FOUND"), item("invalid", "NOBODY", "-ACTIVE-FULL")]
    made = client.eligibility_batches.create(name="Tomorrow", items=items)
    first = done(made.id)
    assert (first.outcomes.answered, first.outcomes.rejected, first.outcomes.invalid, first.needs_a_person) == (1, 1, 1, 2), first
    client.eligibility_batches.retry(made.id, items=[item("rejected", "CHTEST", "-ACTIVE-BASIC")])
    last = done(made.id)
    judged = [i for i in client.eligibility_batches.list_items(made.id) if i.eligibility_id and i.outcome == "answered" and i.verdict]
    assert last.outcomes.answered == 2 and len(judged) == 2, last


def addition_struck() -> None:
    c = check("-ACTIVE-FULL")
    values: Any = [{"path": "coverage_termination_date", "value": "2099-12-31"}]
    added = client.eligibility.add(c.id, source="phone", on=yesterday, person="Dana", values=values)
    assert added.additions and added.additions[0].path == "coverage_termination_date", added
    struck = client.eligibility.strike(c.id, str(added.additions[0].number))
    assert struck.additions and struck.additions[0].struck_at, struck


def task_snoozed() -> None:
    r = client.payer_requests.create(claim_id=claim(draft=True).id, reference_number="R-2208", requested="A chart.")
    found = client.tasks.list(resource_id=r.id).page().data[0]
    client.tasks.snooze(found.id)
    assert client.tasks.list(resource_id=r.id).page().data == [], found
    assert client.tasks.wake(found.id).state == "open", found
    client.payer_requests.answer(r.id, narrative="There is no chart.")
    assert client.tasks.get(found.id).state == "done", found


def task_settled() -> None:
    r = client.payer_requests.create(claim_id=claim(draft=True).id, reference_number="R-2209", requested="A film.")
    found = client.tasks.list(resource_id=r.id).page().data[0]
    assert found.settles == ["will_not_send"], found
    done = client.tasks.settle(found.id, **{"as": "will_not_send", "note": "The patient left."})
    assert done.state == "done" and done.settled and done.settled.note == "The patient left.", done
    waits = client.claims.update(claim(draft=True).id, draft=False)
    held = client.claims.hold(waits.id, reason="The narrative is missing.")
    assert held.held and held.state == "validated", held
    assert client.claims.release(held.id).held is None, held


def note_struck() -> None:
    r = client.payer_requests.create(payer_id="CHTEST", reference_number="R-2210", requested="A film.")
    first = client.payer_requests.add_note(r.id, text="Dana looks for the film.")
    wrong = client.payer_requests.add_note(r.id, text="The patient moved.")
    struck = client.notes.strike(wrong.id, reason="It is about another patient.")
    assert struck.struck and struck.text == "The patient moved.", struck
    listed = client.payer_requests.list_notes(r.id).page().data
    assert len(listed) == 2 and listed[1].struck, listed
    found = client.tasks.list(resource_id=r.id).page().data[0]
    assert found.notes_count == 1 and found.notes[0].id == first.id, found


def deposit_matched() -> None:
    c = claim()
    advance()
    era = next(iter(client.eras.list(claim_id=c.id)))
    paid = era.payment
    content = f"Date,Amount,Description\n{paid.date},{paid.total},HCCLAIMPMT TRN*1*{paid.trace_number}*1512345678\n"
    file = molar.FileContent(name="bank.csv", content=content.encode())
    assert client.deposits.import_(file, account="6789").added == 1
    assert client.deposits.import_(file, account="6789").added == 0
    found = client.deposits.list(era_id=era.id).page().data
    assert len(found) == 1, found
    assert client.deposits.unmatch(found[0].id).state == "unmatched"
    matched = client.deposits.match(found[0].id, parts=[{"era_id": era.id}])
    assert matched.state == "matched", matched
    assert client.eras.get(era.id).bank.status == "received"


def deposit_in_parts() -> None:
    c = claim()
    advance()
    era = next(iter(client.eras.list(claim_id=c.id)))
    day, rest = era.payment.date, Decimal(era.payment.total) - Decimal("0.37")
    rows = [f"{day},0.37,HCCLAIMPMT {era.payer_name} A", f"{day},{rest},HCCLAIMPMT {era.payer_name} B"]
    content = "\n".join(["Date,Amount,Description", *rows, ""])
    file = molar.FileContent(name="parts.csv", content=content.encode())
    assert client.deposits.import_(file, account="6790").waiting == 2
    small = client.deposits.list(account="6790", amount="0.37").page().data[0]
    found = [o for o in client.deposits.get(small.id).candidates if o.eras[0].era_id == era.id and len(o.other_deposits) == 1]
    assert len(found) >= 1, found
    for id in (found[0].other_deposits[0].deposit_id, small.id):
        client.deposits.match(id, parts=[{"era_id": era.id}])
    bank = client.eras.get(era.id).bank
    assert bank.status == "received" and len(bank.deposits) == 2, bank


def posted_once() -> None:
    c = claim()
    advance()
    era = next(iter(client.eras.list(claim_id=c.id)))
    posted = client.eras.post(era.id, reconcile=True)
    assert posted.state == "posted" and posted.reconciled == 1 and posted.left_out == [], posted
    assert client.claims.get(c.id).state == "reconciled"
    client.eras.unpost(era.id)
    assert client.claims.get(c.id).state == "paid"
    client.automation.put(level="exceptions", payers=[{"payer_id": "CHTEST", "level": "automatic"}])
    found = client.automation.get()
    assert [p.payer.payer_id for p in found.payers] == ["CHTEST"], found
    assert client.automation.put(level="review").payers == []


def clock_advanced() -> None:
    before = client.sandbox.clock()
    advance("P1D")
    after = client.sandbox.clock()
    assert not after.running and after.now - before.now == timedelta(days=1), after


def dropped_reply_of_the_sandbox() -> None:
    number = uuid4().hex[:12]
    faults({"operation": "createClaim", "kind": "drop_reply", "times": 1})
    claim(draft=True, patient_control_number=number)
    assert client.sandbox.get_faults().rules[0].struck == 1
    faults()
    once(number)


def raw_request_and_headers() -> None:
    reply = molar.Reply()
    me = client.request("GET", "/me", options=molar.Options(reply=reply))
    assert me["object"] == "me" and reply.request_id == reply.headers["x-request-id"], (me, reply)
    office_ = client.request("POST", "/offices", {"name": "Raw", "npi": "1234567893"})
    assert office_["object"] == "office", office_


def unknown_things_pass() -> None:
    reply = molar.Reply()
    c = check("-ACTIVE-FULL", molar.Options(reply=reply))
    through_proxy = ENV.get("MOLAR_CASES_PROXY") == "1"
    assert getattr(c, "x_unknown", None) == ("new" if through_proxy else None), c
    assert (c.network_status == "x_unknown_value") == through_proxy, c.network_status
    claim()
    kinds = {e.type for e in client.events.list(limit=50)}
    assert ("claim.teleported" in kinds) == through_proxy, kinds


def names() -> list[str]:
    lines = (Path(__file__).parents[2] / "cases.md").read_text().splitlines()
    return [line.split("`")[1] for line in lines if line.startswith("- `")]


def main() -> None:
    failed = False
    for name in names():
        case = globals().get(name)
        try:
            if case is None:
                raise AssertionError("there is no such case")
            case()
            print("ok", name, flush=True)
        except BaseException as error:  # noqa: BLE001
            failed = True
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"not ok {name}: {type(error).__name__}: {str(error)[:400]} (line {where.lineno} of {where.name})", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
