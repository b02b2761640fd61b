// The claims of a remittance: what the payer decided about each, and what a
// person decides when Molar could not apply it.
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Confirm } from "../../ui/dialog";
import { Day, Days, dollars, Money, None, name, printable, words } from "../../ui/format";
import { Keys, useKeys } from "../../ui/keys";
import { Go } from "../../ui/link";
import { Empty, Facts, Read, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { Badge, State } from "../../ui/state";
import { paged, Table } from "../../ui/table";
import { groupLabel, reasonLabel, statusLabel } from "./codes";
import { stands } from "./correction";
import { patientOf, restOf } from "./figures";
import { Beside, Match, Sides } from "./match";
import { unfinished } from "./standing";

type ERA = Schemas["ERA"];
export type ERAClaim = Schemas["ERAClaim"];

/** found returns what does not add up in a claim, in sentences. */
const found = (e: ERA, c: ERAClaim): string[] =>
  e.balance.findings.filter((f) => f.claim === c.ordinal).map((f) => f.explanation);

/** warned returns what differs between a payment and its claim, in sentences. What is wrong with the whole
 *  file stands above. */
const warned = (e: ERA, c: ERAClaim): string[] =>
  c.warnings.filter((w) => !e.warnings.some((f) => f.code === w.code)).map((w) => w.message);

/** Warnings says what a person should know. */
function Warnings({ all }: { all: readonly string[] }) {
  if (all.length === 0) return null;
  return (
    <div className="stack-s">
      {all.map((m) => (
        <p key={m} className="off small wrap-anywhere">
          {printable(m)}
        </p>
      ))}
    </div>
  );
}

/** waits reports whether a claim waits for a person. */
const waits = (c: ERAClaim) =>
  (c.status === "needs_review" || c.status === "unmatched") &&
  c.review?.code !== "under_way" &&
  c.review?.code !== "correction";

/** deciding are the keys of the claims that wait. They act on the one that has the focus, else on the first one. */
const deciding = [
  ["U", "next claim to decide"],
  ["M", "find its claim"],
  ["I", "ignore"],
] as const;

/** toDecide returns the claims on the page that wait for a person, and the one that has the focus. */
function toDecide(): { all: HTMLElement[]; at: HTMLElement | undefined } {
  const all = [...document.querySelectorAll<HTMLElement>(".decision")];
  return { all, at: all.find((d) => d.contains(document.activeElement)) };
}

/** decide presses the button of a claim that waits. */
const decide = (name: string) => () => {
  const { all, at } = toDecide();
  (at ?? all[0])?.querySelector<HTMLElement>(`[data-decides=${name}]`)?.click();
};

/** next moves the focus to the next claim that waits, and from the last one to the first. */
function next() {
  const { all, at } = toDecide();
  const to = all[at ? (all.indexOf(at) + 1) % all.length : 0];
  to?.querySelector<HTMLElement>("button")?.focus();
}

/** many is the number of claims beyond which a page asks before it loads more. */
const many = 1000;

/** useClaims reads the claims of a remittance that is there, page by page. */
export function useClaims(id: string, there: boolean) {
  const { api } = useClient();
  return api.useInfiniteQuery(
    "get",
    "/eras/{id}/claims",
    { params: { path: { id }, query: { limit: 100 } } },
    { ...paged, enabled: there },
  );
}

export function Claims({ era: e, of: claims }: { era: ERA; of: ReturnType<typeof useClaims> }) {
  const may = useMay();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [only, setOnly] = useState(false);
  const [text, setText] = useState("");
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = claims;
  const rows = claims.data?.pages.flatMap((p) => p.data) ?? [];
  // The service has the pages: the next one is asked for once the one before it is here.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && rows.length < many) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, rows.length]);
  const decides = may.write && rows.some(waits);
  useKeys(decides ? { u: next, m: decide("match"), i: decide("ignore") } : {});
  if (!claims.data)
    return (
      <Section title="Claims" flush>
        <Read of={claims} rows={Math.min(8, Math.max(1, e.counts.claims))}>
          {() => null}
        </Read>
      </Section>
    );
  const off = e.unapplied;
  const sought = text.trim().toLowerCase();
  const narrow = only && rows.some(waits); // with nothing left to decide, all claims show
  const shown = rows.filter(
    (c) =>
      (!narrow || waits(c)) &&
      (!sought ||
        [name(c.patient_name), c.patient_control_number, c.payer_claim_number ?? ""].some((t) =>
          t.toLowerCase().includes(sought),
        )),
  );
  const all = shown.length > 0 && shown.every((c) => open.has(c.ordinal));
  const toggle = (c: ERAClaim) =>
    setOpen((was) => {
      const now = new Set(was);
      if (!now.delete(c.ordinal)) now.add(c.ordinal);
      return now;
    });
  return (
    <Section
      flush
      title={count(e.counts.claims, "claim")}
      actions={
        shown.length > 0 && (
          <Button
            look="quiet"
            onClick={() => setOpen(all ? new Set() : new Set(shown.map((c) => c.ordinal)))}
          >
            {all ? "Hide all lines" : "Show all lines"}
          </Button>
        )
      }
    >
      {e.counts.claims > 5 && (
        <div className="filters no-print">
          <div className="field search-field">
            <label htmlFor="era-claims" className="only-read">
              Find in this remittance
            </label>
            <Search size={16} aria-hidden />
            <input
              id="era-claims"
              type="search"
              className="input"
              placeholder="Patient or number"
              value={text}
              onChange={(x) => setText(x.target.value)}
              autoComplete="off"
            />
          </div>
          {(unfinished(e) > 0 || narrow) && (
            <Button aria-pressed={narrow} onClick={() => setOnly(!narrow)}>
              {narrow
                ? "Show all claims"
                : `Show the ${unfinished(e).toLocaleString("en-US")} to decide`}
            </Button>
          )}
        </div>
      )}
      {off.ignored.claims > 0 && (
        <p className="card-note off">
          {dollars(off.ignored.paid)} of this remittance is on no claim:{" "}
          {count(off.ignored.claims, "remittance claim is", "remittance claims are")} ignored.
        </p>
      )}
      {off.unfinished.claims > 0 && e.state === "posted" && (
        <p className="card-note off">
          {dollars(off.unfinished.paid)} of this remittance is not allocated:{" "}
          {count(off.unfinished.claims, "remittance claim is", "remittance claims are")} not
          finished.
        </p>
      )}
      {shown.length === 0 ? (
        <Empty title={rows.length === 0 ? "This remittance has no claims" : "No claim matches"}>
          {rows.length === 0
            ? "Its amount comes from the provider adjustments alone."
            : "Enter part of a patient's name or of a claim number."}
        </Empty>
      ) : (
        <Table
          caption="Claims of the remittance"
          rows={shown}
          id={(c) => String(c.ordinal)}
          fold={{ open: (c) => open.has(c.ordinal), toggle }}
          columns={[
            {
              head: "Patient",
              cell: (c) => (
                <>
                  {printable(name(c.patient_name))}
                  <span className="sub numbers">
                    {printable(c.patient_control_number) || "No control number"}
                  </span>
                </>
              ),
            },
            {
              head: "Status",
              cell: (c) => (
                <div>
                  <Status claim={c} />
                  {!c.balanced && <span className="sub off">Does not add up</span>}
                </div>
              ),
            },
            {
              head: "Service",
              cell: (c) => <Days from={c.service_dates.first} to={c.service_dates.last} />,
              wide: true,
            },
            { head: "Charge", right: true, cell: (c) => <Money value={c.charge} /> },
            { head: "Write-off", right: true, cell: (c) => <Money value={c.contractual} /> },
            { head: "Not paid", right: true, cell: (c) => <Money value={c.not_paid} /> },
            {
              head: "Patient owes",
              right: true,
              cell: (c) => <Money value={patientOf(c)} />,
            },
            { head: "Paid", right: true, cell: (c) => <Paid claim={c} /> },
          ]}
          open={(c) =>
            (waits(c) || open.has(c.ordinal) || warned(e, c).length > 0) && (
              <div className="stack">
                <Warnings all={warned(e, c)} />
                {waits(c) && <Decision era={e} claim={c} />}
                {open.has(c.ordinal) && <Details era={e} claim={c} />}
              </div>
            )
          }
        />
      )}
      {decides && <Keys of={deciding} />}
      {hasNextPage && rows.length >= many && (
        <div className="table-more no-print">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}

/** Paid shows what a payer paid for a claim, and what is left of the charge beside the other columns. */
function Paid({ claim: c }: { claim: ERAClaim }) {
  const rest = restOf(c);
  return (
    <>
      <Money value={c.paid} strong />
      {rest && (
        <span className="sub">
          <Money value={rest.amount} /> {rest.what}
        </span>
      )}
    </>
  );
}

/** Status shows what became of a claim. */
function Status({ claim: c }: { claim: ERAClaim }) {
  if (c.review?.code === "under_way") return <Badge tone="info">Being applied</Badge>;
  if (c.review?.code === "correction") return <Badge tone="warn">On hold</Badge>;
  if (c.status === "unmatched") return <State value={c.status}>No claim matches</State>;
  if (c.status === "applied" && c.status_code === "22")
    return <State value={c.status}>Reversal applied</State>;
  if (c.status === "applied") {
    const denied = c.outcome === "denied";
    const decided = denied ? "denied" : "paid";
    const word = c.status_code === "25" ? "estimated" : decided;
    return <State value={denied ? "denied" : c.status}>{`Applied, ${word}`}</State>;
  }
  return <State value={c.status} />;
}

/** Decision says why a claim was not applied, and what a person can do. */
function Decision({ era: e, claim: c }: { era: ERA; claim: ERAClaim }) {
  const code = c.review?.code;
  const differs = code === "patient_and_charge_differ" || code === "payer_claim_number_only";
  return (
    <div className="decision">
      <div>
        <p className="strong">{c.review?.message}</p>
        {found(e, c).map((m) => (
          <p key={m} className="off wrap-anywhere">
            {printable(m)}
          </p>
        ))}
        {c.claim_id && differs && <Sides claim={c} />}
        <p>{c.review?.fix}</p>
      </div>
      <Choices era={e} claim={c} />
    </div>
  );
}

/** Choices are what a person can do with a claim that is not applied. */
function Choices({ era: e, claim: c }: { era: ERA; claim: ERAClaim }) {
  const may = useMay();
  const [matching, setMatching] = useState(false);
  const where = (header: { "Idempotency-Key": string }) => ({
    path: { id: e.id, ordinal: String(c.ordinal) },
    header,
  });
  const body = (note: string) => ({ note: note || null });
  const apply = useSend(
    (api, key, note: string) =>
      api.POST("/eras/{id}/claims/{ordinal}/apply", { params: where(key), body: body(note) }),
    { says: "The payment is applied to the claim." },
  );
  const ignore = useSend(
    (api, key, note: string) =>
      api.POST("/eras/{id}/claims/{ordinal}/ignore", { params: where(key), body: body(note) }),
    { says: "The remittance claim is ignored." },
  );
  if (!may.write) return null;
  const who = `${dollars(c.paid)} for ${printable(name(c.patient_name))}`;
  const first = c.claim_id === null;
  return (
    <div className="row no-print">
      {c.claim_id && (
        <Confirm
          title="Apply the payment?"
          action="Apply"
          note="Note for the claim's history"
          onConfirm={(note) => apply.go(note)}
          trigger={(open) => (
            <Button
              data-act="matchERAClaim"
              look={waits(c) ? "primary" : "plain"}
              busy={apply.isPending}
              onClick={open}
            >
              Apply
            </Button>
          )}
        >
          <p>
            This applies {who} to <Go to={`/claims/${c.claim_id}`}>the claim that it matches</Go>,
            as the payer states it.
          </p>
          <Beside claim={c} />
        </Confirm>
      )}
      <Button
        data-act={first ? "matchERAClaim" : undefined}
        data-decides="match"
        look={first && waits(c) ? "primary" : "plain"}
        onClick={() => setMatching(true)}
      >
        {first ? "Find the claim" : "Match to another claim"}
      </Button>
      <Match era={e} claim={c} open={matching} onOpenChange={setMatching} />
      {c.status !== "ignored" && (
        <Confirm
          title="Ignore this remittance claim?"
          action="Ignore"
          note={first ? undefined : "Note for the claim's history"}
          onConfirm={(note) => ignore.go(note)}
          trigger={(open) => (
            <Button data-decides="ignore" busy={ignore.isPending} onClick={open}>
              Ignore
            </Button>
          )}
        >
          <p>
            Molar does not apply {who} to a claim. You can still{" "}
            {first ? "match" : "match or apply"} it later.
          </p>
        </Confirm>
      )}
    </div>
  );
}

/** Details shows all that the payer states about a claim. */
function Details({ era: e, claim: c }: { era: ERA; claim: ERAClaim }) {
  const may = useMay();
  const where = (header: { "Idempotency-Key": string }) => ({
    path: { id: e.id, ordinal: String(c.ordinal) },
    header,
  });
  const unapply = useSend(
    (api, key, note: string) =>
      api.POST("/eras/{id}/claims/{ordinal}/unapply", {
        params: where(key),
        body: { note: note || null },
      }),
    { says: "The payment is no longer applied to the claim." },
  );
  const ways: Record<string, string> = {
    control_number: "by its control number",
    payer_claim_number: "by the payer's claim number",
    user: "by a person",
  };
  return (
    <div className="stack-s">
      <Facts
        items={[
          [
            "Payer's decision",
            <>
              {statusLabel(c.status_code)} <code className="muted">{printable(c.status_code)}</code>
            </>,
          ],
          [
            "Claim",
            c.claim_id ? (
              <>
                <Go to={`/claims/${c.claim_id}`}>Open the claim</Go>
                {c.matched_by && <span className="sub">matched {ways[c.matched_by]}</span>}
              </>
            ) : (
              "No claim matches"
            ),
          ],
          [
            "Payer's claim number",
            c.payer_claim_number && (
              <span className="numbers">{printable(c.payer_claim_number)}</span>
            ),
          ],
          ["Coverage", c.sequence && words(c.sequence)],
          ["Allowed", <Money key="a" value={c.allowed} />],
          ...(c.corrected_patient
            ? [
                [
                  "Patient in the payer's records",
                  printable(
                    [name(c.corrected_patient), c.corrected_patient.member_id]
                      .filter((t) => t && t !== "No name")
                      .join(", "),
                  ),
                ] as [string, string],
              ]
            : []),
          ...(c.crossover_payer
            ? [["Forwarded to", printable(c.crossover_payer.name)] as [string, string]]
            : []),
        ]}
      />
      <Warnings all={waits(c) ? [] : found(e, c)} />
      {c.adjustments.length > 0 && (
        <div>
          <p className="muted small">Adjustments of the whole claim</p>
          <Adjustments list={c.adjustments} />
        </div>
      )}
      {c.lines.length > 0 && (
        <div className="inset">
          <Table
            caption={`Lines of ${printable(name(c.patient_name))}`}
            rows={c.lines.map((line, i) => ({ line, number: i + 1 }))}
            id={(r) => String(r.number)}
            columns={[
              {
                head: "Procedure",
                cell: ({ line: l }) => (
                  <>
                    <span className="strong">{printable(l.procedure_code)}</span>
                    {l.submitted_procedure_code && (
                      <span className="sub">billed as {printable(l.submitted_procedure_code)}</span>
                    )}
                    {c.claim_id && (
                      <span className="sub">
                        {l.line_number
                          ? `line ${l.line_number} of the claim`
                          : "matches no line with certainty"}
                      </span>
                    )}
                  </>
                ),
              },
              { head: "Service", cell: ({ line: l }) => <Day value={l.service_date} /> },
              { head: "Charge", right: true, cell: ({ line: l }) => <Money value={l.charge} /> },
              {
                head: "Adjustments",
                cell: ({ line: l }) =>
                  l.adjustments.length > 0 ? <Adjustments list={l.adjustments} /> : <None />,
              },
              { head: "Paid", right: true, cell: ({ line: l }) => <Money value={l.paid} strong /> },
            ]}
          />
        </div>
      )}
      {c.remark_labels.length > 0 && (
        <ul className="plain small">
          {c.remark_labels.map((r) => (
            <li key={r.code}>
              {r.label === r.code ? "Unknown remark" : printable(r.label)}{" "}
              <code className="muted">{printable(r.code)}</code>
            </li>
          ))}
        </ul>
      )}
      {c.status === "ignored" && stands(e) && <Choices era={e} claim={c} />}
      {c.status === "applied" && may.write && (
        <div className="row no-print">
          {e.state === "posted" ? (
            <p className="muted small">To unapply it, unpost the remittance first.</p>
          ) : (
            <Confirm
              title="Unapply the payment?"
              action="Unapply"
              danger
              note="Note for the claim's history"
              onConfirm={(note) => unapply.go(note)}
              trigger={(open) => (
                <Button busy={unapply.isPending} onClick={open}>
                  Unapply
                </Button>
              )}
            >
              <p>
                The claim then has its figures without {dollars(c.paid)} of this payment. Molar does
                not apply it again automatically.
              </p>
            </Confirm>
          )}
        </div>
      )}
    </div>
  );
}

/** Adjustments lists why the payer paid less, in words with their codes. */
function Adjustments({ list }: { list: ERAClaim["adjustments"] }) {
  return (
    <ul className="plain adjustments">
      {list.map((a, i) => (
        <li key={i}>
          <span>
            {reasonLabel(a.reason)}{" "}
            <span className="muted small nowrap" title={groupLabel(a.group)}>
              <span className="only-read">{groupLabel(a.group)} </span>
              {printable(`${a.group}-${a.reason}`)}
            </span>
          </span>
          <Money value={a.amount} />
        </li>
      ))}
    </ul>
  );
}
