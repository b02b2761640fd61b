// The client cases in TypeScript. See cases.md; the environment is that of the test that runs them.
import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import {
  AuthenticationError,
  type CallOptions,
  type Claim,
  type ClaimRequest,
  ConflictError,
  cents,
  type EligibilityCheck,
  EventExpiredError,
  fromCents,
  InvalidRequestError,
  Molar,
  MolarConnectionError,
  NotFoundError,
  PayerError,
  PermissionDeniedError,
  type Reply,
  type SandboxFaultRuleRequest,
  ServiceError,
  SignatureError,
  type Upload,
  WaitError,
} from "../src/index.js";

const env = (name: string): string => process.env[name] ?? "";
const client = new Molar();
const cut = new Molar({ baseUrl: env("MOLAR_CUT_URL") });
const image = env("MOLAR_IMAGE");
const throughProxy = env("MOLAR_CASES_PROXY") === "1";
const now = Date.parse((await client.sandbox.clock()).now);
const yesterday = new Date(now - 24 * 3600 * 1000).toISOString().slice(0, 10);
const office = await client.offices.create({
  name: "Cases",
  npi: "1234567893",
  tax_id: "123456789",
  phone: "5185550100",
  address: { line1: "1 Main Street", city: "Albany", state: "NY", zip: "122070001" },
});
await client.providers.create({
  first_name: "Ann",
  last_name: "Rivers",
  npi: "1679576722",
  taxonomy: "1223G0001X",
});
await client.sandbox.updateClock({ running: false });

const short = () => randomUUID().slice(0, 8);

function check(
  ending: string,
  options?: CallOptions,
  member = short() + ending,
): Promise<EligibilityCheck> {
  const subscriber = {
    first_name: "Jane",
    last_name: "Doe",
    date_of_birth: "1985-04-12",
    member_id: member,
  };
  return client.eligibility.create(
    { office_id: office.id, payer_id: "CHTEST", subscriber },
    options,
  );
}

function claim(
  more: Partial<ClaimRequest> & { ending?: string } = {},
  by = client,
  options?: CallOptions,
): Promise<Claim> {
  const { ending = "", ...fields } = more;
  return by.claims.create(
    {
      office_id: office.id,
      payer_id: "CHTEST",
      ...(fields.draft ? {} : { submit: true }),
      subscriber: {
        first_name: "Jane",
        last_name: "Doe",
        gender: "female",
        date_of_birth: "1985-04-12",
        member_id: short() + ending,
        address: { line1: "2 Oak Street", city: "Springfield", state: "IL", zip: "62701" },
      },
      lines: [{ procedure_code: "D2740", fee: "1000.00", tooth: "14", service_date: yesterday }],
      ...fields,
    },
    options,
  );
}

async function attachment(): Promise<string> {
  return (
    await client.attachments.create({
      claim_id: (await claim({ draft: true })).id,
      narrative: "See the film.",
    })
  ).id;
}

function upload(by: Molar, file: Upload, to: string, options?: CallOptions) {
  return by.attachments.uploadDocument(
    to,
    file,
    { document_type: "12", image_date: yesterday, orientation: "right" },
    options,
  );
}

async function advance(by?: string): Promise<void> {
  await client.sandbox.advanceClock(by === undefined ? { until: "idle" } : { by });
  while ((await client.sandbox.clock()).state !== "ready")
    await new Promise((done) => setTimeout(done, 50));
}

function want(good: unknown, ...about: unknown[]): asserts good {
  if (!good) throw new Error(JSON.stringify(about).slice(0, 600));
}

async function refused<E extends Error>(
  kind: abstract new (...args: never[]) => E,
  does: () => unknown,
): Promise<E> {
  try {
    await does();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`no ${kind.name}`);
}

const faults = (...rules: SandboxFaultRuleRequest[]) => client.sandbox.putFaults({ rules });

async function first<T>(list: AsyncIterable<T>): Promise<T> {
  for await (const item of list) return item;
  throw new Error("the list is empty");
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

async function once(patient_control_number: string): Promise<void> {
  want((await all(client.claims.list({ patient_control_number }))).length === 1);
}

interface Signed {
  body: string;
  headers: Record<string, string>;
}
const webhooks = () =>
  JSON.parse(readFileSync(env("MOLAR_WEBHOOKS"), "utf8")) as Record<
    "paid" | "old" | "unknown",
    Signed
  > &
    Record<"secret" | "other", string>;

const cases: Record<string, () => Promise<void>> = {
  async check_answered() {
    const c = await check("-ACTIVE-FULL");
    want(c.outcome === "answered" && c.status === "active", c);
    want(cents(c.maximums?.[0]?.amount ?? "") > 0, c);
    want((await client.eligibility.get(c.id)).id === c.id);
    want((await client.eligibility.exchange(c.id)).object === "eligibility_exchange");
  },
  async check_rejected_then_retried() {
    const c = await check("-NAME-MISMATCH");
    want(c.outcome === "rejected" && c.rejection?.reasons[0]?.code === "NAME_MISMATCH", c);
    const again = await client.eligibility.retry(c, client.eligibility.suggested(c));
    want(again.outcome === "answered" && again.parent_id === c.id, again);
  },
  async check_unanswered_raises_with_check() {
    const error = await refused(PayerError, () => check("-PAYER-DOWN"));
    want(
      error.status === 502 &&
        error.code === "PAYER_UNAVAILABLE" &&
        !error.retryable &&
        error.needsNewKey,
      error,
    );
    want(error.check?.outcome === "payer_unavailable", error.body);
  },
  async same_key_replayed() {
    const idempotencyKey = randomUUID();
    let reply: Reply | undefined;
    const request = {
      first_name: "Pat",
      last_name: "Roe",
      npi: "1679576722",
      taxonomy: "1223G0001X",
    };
    const one = await client.providers.create(request, { idempotencyKey });
    const two = await client.providers.create(request, {
      idempotencyKey,
      onReply: (r) => (reply = r),
    });
    want(one.id === two.id && reply?.replayed, reply);
  },
  async upload_with_progress() {
    const told: (number | undefined)[][] = [];
    const a = await upload(
      client,
      { path: image, onProgress: (...at) => told.push(at) },
      await attachment(),
    );
    const size = statSync(image).size;
    want(a.documents.length === 1 && told.at(-1)?.[0] === size && told.at(-1)?.[1] === size, told);
  },
  async upload_stream_sent_once() {
    const to = await attachment();
    async function* stream() {
      for (let n = 0; n < 200; n++) yield readFileSync(image);
    }
    const error = await refused(MolarConnectionError, () =>
      upload(cut, { stream: stream(), name: "x.jpg" }, to, { headers: { "X-Cut": "upload" } }),
    );
    want(error.maybeReceived, error.message);
    want((await client.attachments.get(to)).documents.length === 0);
  },
  async cut_upload_retried() {
    const a = await upload(cut, { path: image }, await attachment(), {
      headers: { "X-Cut": "upload" },
    });
    want((await client.attachments.get(a.id)).documents.length === 1);
  },
  async download_stream() {
    const a = await upload(client, { path: image }, await attachment());
    const d = await client.attachments.downloadDocument(a.id, a.documents[0]?.id ?? "");
    const content = await d.bytes();
    want(
      d.contentType === "image/jpeg" && content[0] === 0xff && content[1] === 0xd8,
      d.contentType,
    );
  },
  async attachment_closed() {
    const a = await upload(
      client,
      { bytes: readFileSync(image), name: "film.jpg" },
      await attachment(),
    );
    const closed = await client.attachments.close(a.id);
    want(closed.state === "closed" && closed.attachment_number, closed);
  },
  async claim_draft_to_reconciled() {
    const c = await claim({ draft: true });
    want(c.state === "draft", c.state);
    await client.claims.update(c.id, { submit: true });
    await advance();
    want((await client.claims.get(c.id)).state === "paid");
    await client.eras.post((await first(client.eras.list({ claim_id: c.id }))).id);
    want((await client.claims.reconcile(c.id)).state === "reconciled");
  },
  async claim_waited_for() {
    const c = await claim();
    const moving = advance();
    want((await client.claims.wait(c.id, "paid")).state === "paid");
    await moving;
  },
  async claim_status_asked() {
    const c = await claim();
    const moving = advance();
    await client.claims.wait(c.id, "paid");
    await moving;
    const i = await client.claims.askStatus(c.id);
    want(
      i.outcome === "found" && i.matches === "control_number" && i.statuses[0]?.paid !== null,
      i,
    );
    want((await client.statusInquiries.get(i.id)).id === i.id);
    want((await client.statusInquiries.exchange(i.id)).messages.length === 1);
    const draft = await claim({ draft: true });
    await refused(ConflictError, () => client.claims.askStatus(draft.id));
  },
  async status_policy_kept() {
    const p = await client.statusPolicies.put("CHTEST", { status_after: "P10D" });
    want(p.status_after === "P10D" && p.status_every === "P7D", p);
    const listed = (await client.statusPolicies.list().page()).data;
    want(listed.length === 1 && listed[0]?.id === p.id, listed);
    await client.statusPolicies.delete("CHTEST");
    await refused(NotFoundError, () => client.statusPolicies.delete("CHTEST"));
  },
  async appeal_sent() {
    const c = await claim();
    const moving = advance();
    await client.claims.wait(c.id, "paid");
    await moving;
    const a = await client.appeals.create(c.id, { reason: "The film shows decay." });
    want(
      a.state === "draft" && a.deadline.days === 180 && a.letter.includes("The film shows decay."),
      a,
    );
    await refused(ConflictError, () => client.appeals.create(c.id, { reason: "Again." }));
    const day = yesterday; // at the office it may still be the day before the one of UTC
    const changed = await client.appeals.update(a.id, {
      letter: "Dear reviewer",
      deadline_on: "2099-12-31",
    });
    want(changed.letter === "Dear reviewer" && changed.deadline.on === "2099-12-31", changed);
    const sent = await client.appeals.recordSent(a.id, { on: day, by: "fax", reference: "77" });
    want(sent.sent?.reference === "77" && sent.due_on !== null, sent);
    const decided = await client.appeals.recordDecided(a.id, { outcome: "upheld" });
    want((decided.decided?.on ?? "") >= day && decided.due_on === null, decided);
    const listed = (await client.appeals.list(c.id).page()).data;
    want(listed.length === 1 && listed[0]?.id === (await client.appeals.get(a.id)).id, listed);
  },
  async payer_limits_kept() {
    const limits = await client.payerLimits.put("CHTEST", {
      filing_days: 365,
      filing_source: "page 12",
    });
    want(limits.filing_days === 365 && limits.appeal_days === null, limits);
    const listed = (await client.payerLimits.list().page()).data;
    want(listed.length === 1 && listed[0]?.payer.payer_id === "CHTEST", listed);
    await client.payerLimits.delete("CHTEST");
    await refused(NotFoundError, () => client.payerLimits.delete("CHTEST"));
  },
  async attachment_rule_kept() {
    let r = await client.attachmentRules.create({
      payer_id: "CHTEST",
      procedure_codes: ["D2740"],
      needs: ["photo"],
    });
    want(r.when === "initial", r);
    const c = await client.claims.update((await claim({ draft: true })).id, {});
    want(
      c.advice.length === 1 &&
        c.advice[0]?.code === "photo_missing" &&
        c.advice[0].rule.id === r.id,
      c,
    );
    const sent = await client.claims.submit(c.id, {
      advice_ignored: { photo_missing: "The payer has it." },
    });
    want(sent.state === "queued" && sent.advice_ignored[0]?.code === "photo_missing", sent);
    r = await client.attachmentRules.update(r.id, { payer_id: null }, { ifVersion: r.version });
    want(r.payer === null && r.version === 2, r);
    const listed = (await client.attachmentRules.list().page()).data;
    want(listed.length === 1 && listed[0]?.id === r.id, listed);
    await client.attachmentRules.delete(r.id);
    await refused(NotFoundError, () => client.attachmentRules.delete(r.id));
  },
  async claim_wait_times_out() {
    const c = await claim({ draft: true });
    const error = await refused(WaitError, () => client.claims.wait(c.id, ["paid"], 700));
    want(error.claim.state === "draft", error.claim);
  },
  async claim_changed_meanwhile() {
    const c = await claim({ draft: true });
    const changed = await client.claims.update(
      c.id,
      { draft: true, note: "one" },
      { ifVersion: c.version },
    );
    want(changed.version === c.version + 1, changed.version);
    const error = await refused(ConflictError, () =>
      client.claims.update(c.id, { draft: true, note: "two" }, { ifVersion: c.version }),
    );
    want(
      error.status === 412 && error.code === "CHANGED_MEANWHILE" && error.body.changed,
      error.body,
    );
  },
  async claim_voided() {
    want((await client.claims.void((await claim()).id)).state === "voided");
  },
  async remittance_finished() {
    const c = await claim({ ending: "-UNBALANCED" });
    await advance();
    const era = await first(client.eras.list({ needs_attention: true, claim_id: c.id }));
    const part = await first(client.eras.listClaims(era.id));
    want(part.status === "needs_review", part);
    const done = await client.eras.applyClaim(era.id, String(part.ordinal), {
      note: "The payer confirmed it by telephone.",
    });
    want(done.status === "applied", done);
    await client.eras.post(era.id);
    want((await client.claims.reconcile(c.id)).state === "reconciled");
  },
  async remittance_imported() {
    const c = await claim();
    await advance();
    const era = await first(client.eras.list({ claim_id: c.id }));
    const content = await (await client.eras.file(era.id)).bytes();
    const known = await client.eras.import({ bytes: content, name: "again.835" });
    want(
      known.payments.length === 1 &&
        known.payments[0]?.status === "duplicate" &&
        known.payments[0].era_id === era.id,
      known,
    );
  },
  async payer_request_answered() {
    const c = await claim({ draft: true });
    const r = await client.payerRequests.create({
      claim_id: c.id,
      reference_number: "R-2207",
      requested: "A film of tooth 14.",
    });
    const a = await client.attachments.create({ payer_request_id: r.id, kind: "solicited" });
    await upload(client, { path: image }, a.id);
    const answer = await client.payerRequests.answer(r.id, {
      narrative: "The film that you asked for.",
    });
    want(answer.payer_request.state === "answered", answer);
  },
  async pages_iterated() {
    const made = [];
    for (let n = 0; n < 3; n++) made.push((await claim({ draft: true })).id);
    const found = (await all(client.claims.list({ state: ["draft"], limit: 2 }))).map((c) => c.id);
    want(made.every((id) => found.includes(id)) && new Set(found).size === found.length, found);
  },
  async single_page_and_cursor() {
    await claim({ draft: true });
    await claim({ draft: true });
    const drafts = client.claims.list({ state: ["draft"], limit: 1 });
    const one = await drafts.page();
    want(one.data.length === 1 && one.next_cursor !== null, one);
    want((await drafts.page(one.next_cursor)).data[0]?.id !== one.data[0]?.id);
  },
  async events_tail_resumed() {
    const c = await claim();
    await advance("PT1H");
    const ids = (await all(client.events.list({ order: "asc", resource_id: c.id }))).map(
      (e) => e.id,
    );
    want(ids.length >= 3, ids);
    const got: string[] = [];
    for await (const e of client.events.tail(undefined, { resource_id: c.id })) {
      got.push(e.id);
      if (got.length === 2) break;
    }
    for await (const e of client.events.tail(got.at(-1), { resource_id: c.id })) {
      got.push(e.id);
      if (got.length === ids.length) break;
    }
    want(got.join() === ids.join(), got, ids);
  },
  async event_expired() {
    const tail = cut.events.tail(
      "evt_00000000000000000000000000",
      {},
      { headers: { "X-Cut": "expired" } },
    );
    const error = await refused(EventExpiredError, () => tail.next());
    want(
      error.status === 410 && error.oldestEventId === "evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK",
      error.body,
    );
  },
  async webhook_verified() {
    const { paid, secret, other } = webhooks();
    const event = client.webhooks.unwrap(paid.body, paid.headers, secret);
    want(event.type === "claim.paid" && event.data.claim_payment?.paid === "80.00", event);
    client.webhooks.unwrap(Buffer.from(paid.body), new Headers(paid.headers), other, secret);
  },
  async webhook_forged_refused() {
    const { paid, old, secret, other } = webhooks();
    await refused(SignatureError, () =>
      client.webhooks.unwrap(`${paid.body} `, paid.headers, secret),
    );
    await refused(SignatureError, () => client.webhooks.unwrap(paid.body, paid.headers, other));
    await refused(SignatureError, () => client.webhooks.unwrap(old.body, old.headers, secret));
  },
  async webhook_unknown_event_passes() {
    const { unknown, secret } = webhooks();
    const event = client.webhooks.unwrap(unknown.body, unknown.headers, secret);
    want(
      String(event.type) === "claim.teleported" && (event.data as { to: string }).to === "Mars",
      event,
    );
  },
  async lost_reply_not_doubled() {
    const patient_control_number = short();
    let reply: Reply | undefined;
    await claim({ draft: true, patient_control_number }, cut, {
      headers: { "X-Cut": "reply" },
      onReply: (r) => (reply = r),
    });
    want(reply?.replayed, reply);
    await once(patient_control_number);
  },
  async rate_limited_waits() {
    await faults({ operation: "getSummary", kind: "rate_limit", times: 1 });
    const begun = Date.now();
    want((await client.summary.get()).object === "summary");
    want(Date.now() - begun >= 370);
  },
  async unavailable_retried() {
    const patient_control_number = short();
    await faults({ operation: "createClaim", kind: "error", status: 503, times: 2 });
    await claim({ draft: true, patient_control_number });
    await once(patient_control_number);
    await faults({ operation: "createClaim", kind: "error", status: 503, times: 3 });
    want((await refused(ServiceError, () => claim({ draft: true }))).retryable);
    await faults();
  },
  async key_in_use_waits() {
    const options = { idempotencyKey: randomUUID() };
    const member = `${short()}-SLOW-1`;
    const [one, two] = await Promise.all([check("", options, member), check("", options, member)]);
    want(one.id === two.id, one.id, two.id);
  },
  async invalid_request_faults() {
    const error = await refused(InvalidRequestError, () =>
      client.claims.create({ office_id: "nowhere", payer_id: "CHTEST", lines: [{ fee: "1" }] }),
    );
    const fields = error.faults.map((f) => f.field);
    want(error.status === 422 && fields.length >= 2 && fields.includes("lines.0.fee"), fields);
    want(
      error.requestId.startsWith("req_") &&
        error.docUrl === `${env("MOLAR_BASE_URL")}/docs/errors/INVALID_REQUEST`,
      error.docUrl,
    );
  },
  async not_found() {
    const error = await refused(NotFoundError, () =>
      client.claims.get("clm_00000000000000000000000000"),
    );
    want(error.status === 404 && !error.retryable, error);
  },
  async permission_denied() {
    const reader = new Molar({ apiKey: env("MOLAR_READONLY_KEY") });
    await refused(PermissionDeniedError, () =>
      reader.claims.create({ office_id: office.id, payer_id: "CHTEST" }),
    );
  },
  async wrong_key_refused() {
    await refused(AuthenticationError, () =>
      new Molar({ apiKey: `molar_test_${"0".repeat(38)}` }).me.get(),
    );
  },
  async patch_absent_null_value() {
    const c = await claim({ draft: true, note: "stays", prior_authorization: "PA-1" });
    const changed = await client.claims.update(c.id, {
      draft: true,
      prior_authorization: null,
      referral_number: "R-1",
    });
    want(
      changed.note === "stays" &&
        changed.prior_authorization === null &&
        changed.referral_number === "R-1",
      changed,
    );
  },
  async patient_overview() {
    const c = await check("-ACTIVE-FULL");
    const o = await client.patients.overview(c.patient_id ?? "");
    want(o.patient.id === c.patient_id && cents(o.owed) >= 0, o);
    want(
      o.checks.some((each) => each.id === c.id && each.verdict?.text.startsWith("Covered. ")),
      o.checks,
    );
    const member = c.request.subscriber.member_id;
    want(
      o.coverages.some((plan) => plan.member_id === member),
      o.coverages,
    );
  },
  async amounts_are_exact() {
    const c = await claim({ draft: true });
    const lines = [10, 20, 30].map((n) => ({
      procedure_code: "D0220",
      fee: fromCents(n),
      service_date: yesterday,
      tooth: "14",
    }));
    const changed = await client.claims.update(c.id, { draft: true, lines });
    want(changed.lines.reduce((sum, line) => sum + cents(line.fee ?? ""), 0) === 60, changed.lines);
    await refused(RangeError, () => cents("1.5"));
  },
  async fee_found() {
    const fees = {
      name: "Fees",
      kind: "allowed" as const,
      payer_id: "CHTEST",
      effective_from: "2026-01-01",
      rows: [{ procedure_code: "D0120", amount: fromCents(4105) }],
    };
    const made = await client.feeSchedules.create(fees);
    await refused(InvalidRequestError, () => client.feeSchedules.create(fees));
    const found = await client.feeSchedules.match({
      procedure_code: "D0120",
      date: "2026-05-04",
      payer_id: "CHTEST",
    });
    const whole = await client.feeSchedules.get(made.id);
    want(
      found.allowed?.schedule_id === made.id &&
        cents(found.allowed.amount) === 4105 &&
        found.schedules[0]?.counts &&
        whole.rows[0]?.amount === "41.05",
      found,
    );
  },
  async addition_struck() {
    const c = await check("-ACTIVE-FULL");
    const added = await client.eligibility.add(c.id, {
      source: "phone",
      on: new Date().toISOString().slice(0, 10),
      person: "Dana",
      values: [{ path: "coverage_termination_date", value: "2099-12-31" }],
    });
    const first = added.additions?.[0];
    want(first?.path === "coverage_termination_date", added);
    const struck = await client.eligibility.strike(c.id, String(first?.number));
    want(struck.additions?.length === 1 && struck.additions[0]?.struck_at != null, struck);
  },
  async schedule_read() {
    const payers = [{ name: "our payer", payer_id: "CHTEST" }];
    await client.importMappings.put("schedule", { payers });
    const kept = await client.importMappings.get("schedule");
    const read = await client.eligibility.readSchedule({
      office_id: office.id,
      csv:
        "Patient,DOB,Payer,Member ID\n" +
        '"Example, Sam",2/29/1984,Our Payer,W1\n"Sample, Ann",4/30/80,CHTEST,W2\n',
    });
    const wrong = read.rows[1]?.faults[0];
    want(
      kept.payers[0]?.payer.payer_id === "CHTEST" &&
        read.rows[0]?.item?.subscriber.last_name === "Example" &&
        read.rows[1]?.item === null &&
        wrong?.column === 2 &&
        wrong.candidates[0]?.value === "4/30/1980",
      read,
    );
  },
  async estimate_made() {
    const c = await check("-ACTIVE-FULL");
    const rejected = await check("-NAME-MISMATCH");
    const lines = [
      { procedure_code: "D2740", fee: fromCents(125000), allowed: fromCents(90000), tooth: "2" },
    ];
    const seen = await client.estimates.create({ eligibility_id: c.id, lines, preview: true });
    const made = await client.estimates.create({ eligibility_id: c.id, lines });
    await refused(ConflictError, () =>
      client.estimates.create({ eligibility_id: rejected.id, lines }),
    );
    const read = await client.estimates.get(made.id ?? "");
    let kept = 0;
    for await (const _ of client.estimates.list({ eligibility_id: c.id })) kept++;
    const l = read.lines[0];
    const sum = [l?.write_off, l?.plan_pays, l?.second_plan_pays, l?.patient_pays].reduce(
      (total, range) => total + cents(range?.most ?? ""),
      0,
    );
    want(
      seen.id === null && kept === 1 && sum === 125000 && l?.patient_pays.least === "450.00",
      read,
    );
  },
  async estimate_accuracy() {
    const c = await check("-ACTIVE-FULL");
    const lines = [{ procedure_code: "D2740", fee: fromCents(125000) }];
    const made = await client.estimates.create({ eligibility_id: c.id, lines });
    await refused(ConflictError, () => client.estimates.accuracy(made.id ?? ""));
    let compared = 0;
    for await (const _ of client.estimates.accuracyByPayer()) compared++;
    want(compared === 0, made);
  },
  async report_adds_up() {
    const report = await client.reports.aging({ by: "service" });
    const { amount, claims } = report.total.insurance.total;
    let sum = 0;
    let found = 0;
    for await (const c of client.claims.list({ open: true, last_payer: true, sent: true })) {
      sum += cents(c.open ?? "0.00");
      found++;
    }
    want(cents(amount) === sum && claims === found, report.total);
  },
  async checks_of_a_batch() {
    const item = (item_id: string, payer_id: string, ending: string) => ({
      item_id,
      office_id: office.id,
      payer_id,
      subscriber: {
        first_name: "Jane",
        last_name: "Doe",
        date_of_birth: "1985-04-12",
        member_id: short() + ending,
      },
    });
    const done = async (id: string) => {
      for (;;) {
        const batch = await client.eligibilityBatches.get(id);
        if (batch.pending === 0) return batch;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const { id } = await client.eligibilityBatches.create({
      name: "Tomorrow",
      items: [
        item("active", "CHTEST", "-ACTIVE-FULL"),
        item("rejected", "CHTEST", "-NOT-FOUND"),
        item("invalid", "NOBODY", "-ACTIVE-FULL"),
      ],
    });
    const first = await done(id);
    const { answered, rejected, invalid } = first.outcomes;
    want(answered === 1 && rejected === 1 && invalid === 1 && first.needs_a_person === 2, first);
    await client.eligibilityBatches.retry(id, {
      items: [item("rejected", "CHTEST", "-ACTIVE-BASIC")],
    });
    const last = await done(id);
    let judged = 0;
    for await (const i of client.eligibilityBatches.listItems(id)) {
      if (i.eligibility_id && i.outcome === "answered" && i.verdict) judged++;
    }
    want(last.outcomes.answered === 2 && judged === 2, last);
  },
  async task_snoozed() {
    const r = await client.payerRequests.create({
      claim_id: (await claim({ draft: true })).id,
      reference_number: "R-2208",
      requested: "A chart.",
    });
    const list = async () => (await client.tasks.list({ resource_id: r.id }).page()).data;
    const found = (await list())[0];
    if (!found) throw new Error("no task");
    await client.tasks.snooze(found.id);
    want((await list()).length === 0, found);
    want((await client.tasks.wake(found.id)).state === "open", found);
    await client.payerRequests.answer(r.id, { narrative: "There is no chart." });
    want((await client.tasks.get(found.id)).state === "done", found);
  },
  async task_settled() {
    const r = await client.payerRequests.create({
      claim_id: (await claim({ draft: true })).id,
      reference_number: "R-2209",
      requested: "A film.",
    });
    const found = (await client.tasks.list({ resource_id: r.id }).page()).data[0];
    if (!found) throw new Error("no task");
    const done = await client.tasks.settle(found.id, {
      as: "will_not_send",
      note: "The patient left.",
    });
    want(done.state === "done" && done.settled?.note === "The patient left.", done);
    const waits = await client.claims.update((await claim({ draft: true })).id, { draft: false });
    const held = await client.claims.hold(waits.id, { reason: "The narrative is missing." });
    want(held.held !== null && held.state === "validated", held);
    want((await client.claims.release(held.id)).held === null, held);
  },
  async note_struck() {
    const r = await client.payerRequests.create({
      payer_id: "CHTEST",
      reference_number: "R-2210",
      requested: "A film.",
    });
    const first = await client.payerRequests.addNote(r.id, { text: "Dana looks for the film." });
    const wrong = await client.payerRequests.addNote(r.id, { text: "The patient moved." });
    const struck = await client.notes.strike(wrong.id, { reason: "It is about another patient." });
    want(struck.struck !== null && struck.text === "The patient moved.", struck);
    const listed = (await client.payerRequests.listNotes(r.id).page()).data;
    want(listed.length === 2 && listed[1]?.struck !== null, listed);
    const found = (await client.tasks.list({ resource_id: r.id }).page()).data[0];
    want(found?.notes_count === 1 && found.notes[0]?.id === first.id, found);
  },
  async deposit_matched() {
    const c = await claim();
    await advance();
    const era = await first(client.eras.list({ claim_id: c.id }));
    const { date, total, trace_number } = era.payment;
    const text = `Date,Amount,Description\n${date},${total},HCCLAIMPMT TRN*1*${trace_number}*1512345678\n`;
    const file = { bytes: new TextEncoder().encode(text), name: "bank.csv" };
    want((await client.deposits.import(file, { account: "6789" })).added === 1);
    want((await client.deposits.import(file, { account: "6789" })).added === 0);
    const deposit = await first(client.deposits.list({ era_id: era.id }));
    want((await client.deposits.unmatch(deposit.id)).state === "unmatched");
    const matched = await client.deposits.match(deposit.id, { parts: [{ era_id: era.id }] });
    want(matched.state === "matched", matched);
    want((await client.eras.get(era.id)).bank.status === "received");
  },
  async deposit_in_parts() {
    const c = await claim();
    await advance();
    const era = await first(client.eras.list({ claim_id: c.id }));
    const { date, total } = era.payment;
    const rows = [
      `${date},0.37,HCCLAIMPMT ${era.payer_name} A`,
      `${date},${(Number(total) - 0.37).toFixed(2)},HCCLAIMPMT ${era.payer_name} B`,
    ];
    const text = `Date,Amount,Description\n${rows.join("\n")}\n`;
    const file = { bytes: new TextEncoder().encode(text), name: "parts.csv" };
    want((await client.deposits.import(file, { account: "6790" })).waiting === 2);
    const small = await first(client.deposits.list({ account: "6790", amount: "0.37" }));
    const { candidates } = await client.deposits.get(small.id);
    const [other] =
      candidates.find((o) => o.eras[0]?.era_id === era.id && o.other_deposits.length === 1)
        ?.other_deposits ?? [];
    want(other !== undefined, candidates);
    for (const id of [other?.deposit_id ?? "", small.id]) {
      await client.deposits.match(id, { parts: [{ era_id: era.id }] });
    }
    const { bank } = await client.eras.get(era.id);
    want(bank.status === "received" && bank.deposits.length === 2, bank);
  },
  async posted_once() {
    const c = await claim();
    await advance();
    const era = await first(client.eras.list({ claim_id: c.id }));
    const posted = await client.eras.post(era.id, { reconcile: true });
    want(
      posted.state === "posted" && posted.reconciled === 1 && posted.left_out.length === 0,
      posted,
    );
    want((await client.claims.get(c.id)).state === "reconciled");
    await client.eras.unpost(era.id);
    want((await client.claims.get(c.id)).state === "paid");
    const level = "automatic" as const;
    await client.automation.put({ level: "exceptions", payers: [{ payer_id: "CHTEST", level }] });
    const found = await client.automation.get();
    want(found.payers.length === 1 && found.payers[0]?.payer.payer_id === "CHTEST", found);
    want((await client.automation.put({ level: "review" })).payers.length === 0);
  },
  async clock_advanced() {
    const before = await client.sandbox.clock();
    await advance("P1D");
    const after = await client.sandbox.clock();
    want(
      !after.running && Date.parse(after.now) - Date.parse(before.now) === 24 * 3600 * 1000,
      before,
      after,
    );
  },
  async dropped_reply_of_the_sandbox() {
    const patient_control_number = short();
    await faults({ operation: "createClaim", kind: "drop_reply", times: 1 });
    await claim({ draft: true, patient_control_number });
    want((await client.sandbox.getFaults()).rules[0]?.struck === 1);
    await faults();
    await once(patient_control_number);
  },
  async raw_request_and_headers() {
    let reply: Reply | undefined;
    const me = await client.request<{ object: string }>("GET", "/me", undefined, undefined, {
      onReply: (r) => (reply = r),
    });
    want(me.object === "me" && reply?.requestId === reply?.headers.get("x-request-id"), me);
    const made = await client.request<{ object: string }>("POST", "/offices", {
      name: "Raw",
      npi: "1234567893",
    });
    want(made.object === "office", made);
  },
  async unknown_things_pass() {
    const c = await check("-ACTIVE-FULL");
    want(
      (c as unknown as { x_unknown?: string }).x_unknown === (throughProxy ? "new" : undefined),
      c,
    );
    want((c.network_status === "x_unknown_value") === throughProxy, c.network_status);
    await claim();
    const kinds = (await all(client.events.list({ limit: 50 }))).map((e) => String(e.type));
    want(kinds.includes("claim.teleported") === throughProxy, kinds);
  },
};

const listed = readFileSync(new URL("../../../cases.md", import.meta.url), "utf8").matchAll(
  /^- `([a-z_]+)`/gm,
);
let failed = false;
for (const [, name = ""] of listed) {
  try {
    const run = cases[name];
    if (!run) throw new Error("there is no such case");
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    failed = true;
    console.log(
      `not ok ${name}: ${error instanceof Error ? (error.stack ?? "").slice(0, 600) : String(error)}`,
    );
  }
}
process.exit(failed ? 1 : 0);
