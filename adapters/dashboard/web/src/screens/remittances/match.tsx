// Matching by hand: find the claim that a payment is about. What one types is in
// the body of the search, and in no address.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Cancel, Confirm, Modal } from "../../ui/dialog";
import { SelectField } from "../../ui/form";
import { Day, Days, day, dollars, Money, None, name, printable, words } from "../../ui/format";
import { useLate } from "../../ui/late";
import { Facts, Read } from "../../ui/page";
import { count } from "../../ui/plural";
import { State } from "../../ui/state";
import { Table } from "../../ui/table";
import { compared, doubts, likeness, type Side } from "./alike";
import type { ERAClaim } from "./claims";

type ERA = Schemas["ERA"];
type Claim = Schemas["Claim"];

export function Match({
  era,
  claim: c,
  open,
  onOpenChange,
}: {
  era: ERA;
  claim: ERAClaim;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Modal forgets title="Find the claim" open={open} onOpenChange={onOpenChange} wide>
      <Finder era={era} claim={c} close={() => onOpenChange(false)} />
    </Modal>
  );
}

/** shown is the number of candidates whose details are compared. */
const shown = 12;

function Finder({ era, claim: c, close }: { era: ERA; claim: ERAClaim; close: () => void }) {
  const { fetch } = useClient();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Claim | null>(null);
  const typed = useLate(text.trim(), 200);
  const { first_name: first, last_name: last } = c.patient_name;
  // Without a text, all that the payer states is searched for.
  const searches = [
    ...new Set(
      typed
        ? [typed]
        : [c.patient_control_number, c.member_id ?? "", first && last && `${last}, ${first}`, last]
            .map((t) => t.trim())
            .filter((t) => t.length >= 2),
    ),
  ];
  const found = useQuery({
    queryKey: ["match", era.id, c.ordinal, ...searches],
    enabled: typed === "" || typed.length >= 2,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const replies = await Promise.all(
        searches.map((query) =>
          fetch.POST("/claims/search", { body: { query: query.slice(0, 100), limit: 50 }, signal }),
        ),
      );
      const heads = new Map<string, Schemas["ClaimSummary"]>();
      for (const { data, error } of replies) {
        if (error) throw error;
        for (const s of data.data) if (s.state !== "draft") heads.set(s.id, s);
      }
      const likely = <T extends Parameters<typeof likeness>[1]>(all: T[]) =>
        all.sort((a, b) => likeness(c, b) - likeness(c, a));
      const claims = await Promise.all(
        likely([...heads.values()].map((s) => ({ ...s, subscriber: null })))
          .slice(0, shown)
          .map(async ({ id }) => {
            const { data, error } = await fetch.GET("/claims/{id}", {
              params: { path: { id } },
              signal,
            });
            if (error) throw error;
            return data;
          }),
      );
      return {
        claims: likely(claims),
        more: Math.max(0, heads.size - shown),
        truncated: replies.some((r) => r.data?.truncated),
      };
    },
  });
  return (
    <div className="stack">
      <div className="sought">
        <Facts
          items={[
            ["The payer names", printable(name(c.patient_name))],
            ["Service", <Days key="s" from={c.service_dates.first} to={c.service_dates.last} />],
            ["Member ID", c.member_id && printable(c.member_id)],
            ["Charge", <Money key="c" value={c.charge} />],
            ["Paid", <Money key="p" value={c.paid} strong />],
            [
              "Control number",
              <span key="n" className="numbers">
                {printable(c.patient_control_number) || "–"}
              </span>,
            ],
          ]}
        />
      </div>
      {chosen ? (
        <Lines era={era} claim={c} to={chosen} back={() => setChosen(null)} done={close} />
      ) : (
        <>
          <div className="row">
            <div className="field search-field">
              <label htmlFor="match-search" className="only-read">
                Search claims
              </label>
              <Search size={16} aria-hidden />
              <input
                id="match-search"
                type="search"
                className="input"
                placeholder="Patient, date of birth, member ID or control number"
                value={text}
                onChange={(e) => setText(e.target.value)}
                autoComplete="off"
                // biome-ignore lint/a11y/noAutofocus: the dialog opens for this field
                autoFocus
              />
            </div>
          </div>
          <div className="found" aria-live="polite">
            <Read of={found} rows={3}>
              {({ claims, more, truncated }) => (
                <>
                  <Candidates claims={claims} like={c} choose={setChosen} />
                  {(more > 0 || truncated) && (
                    <p className="muted">
                      More claims match. Enter more of the name, or a date of birth.
                    </p>
                  )}
                </>
              )}
            </Read>
          </div>
        </>
      )}
    </div>
  );
}

/** Candidates lists the claims that a search found, the likeliest first, with what differs from the payment. */
function Candidates({
  claims,
  like: c,
  choose,
}: {
  claims: readonly Claim[];
  like: ERAClaim;
  choose: (s: Claim) => void;
}) {
  if (claims.length === 0) {
    return (
      <p className="muted">
        No sent claim is found. Search for another spelling, a date of birth, or a member ID.
      </p>
    );
  }
  return (
    <ul className="plain candidates">
      {claims.map((s) => (
        <li key={s.id}>
          <button type="button" className="candidate" onClick={() => choose(s)}>
            <span>
              <span className="strong">{name(s.patient_name)}</span>
              <span className="sub">
                {[born(s), s.subscriber?.member_id].filter(Boolean).join(", ")}
              </span>
              <span className="sub">
                {s.payer.name}
                {s.kind === "predetermination" && ", predetermination"}
              </span>
            </span>
            <Days from={s.service_dates.first} to={s.service_dates.last} />
            <span className="right">
              <Money value={s.totals.charge} />
              {s.open !== null && <span className="sub">{dollars(s.open)} open</span>}
            </span>
            <State value={s.state} />
            <span className="alike">{alike(compared(c, s))}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** born says when the patient of a claim was born. */
function born(c: Claim): string {
  const date = (c.patient ?? c.subscriber)?.date_of_birth;
  return date ? `born ${day(date)}` : "";
}

/** alike says what is the same and what differs. */
function alike(sides: readonly Side[]): string {
  const same = sides.filter((s) => s.same).map((s) => s.what);
  const other = sides.filter((s) => s.same === false).map((s) => `${s.what} (payer: ${s.payer})`);
  return [
    same.length > 0 && `Same ${same.join(", ")}.`,
    other.length > 0 && `Different ${other.join(", ")}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Sides shows what the payer and the claim state, where they differ. */
export function Sides({ claim: c }: { claim: ERAClaim }) {
  const { api } = useClient();
  const claim = api.useQuery("get", "/claims/{id}", { params: { path: { id: c.claim_id ?? "" } } });
  return (
    <Read of={claim} rows={2}>
      {(ours) => (
        <Table
          caption="What differs"
          rows={compared(c, ours).filter((s) => s.same === false)}
          id={(s) => s.what}
          columns={[
            { head: "Differs", cell: (s) => words(s.what) },
            { head: "Payer", cell: (s) => <span className="wrap-anywhere">{s.payer}</span> },
            { head: "Claim", cell: (s) => <span className="wrap-anywhere">{s.claim}</span> },
          ]}
        />
      )}
    </Read>
  );
}

/** Beside shows the patient, the birth date and the service of a payment and of its claim. A payer states no birth
 *  date. */
export function Beside({ claim: c }: { claim: ERAClaim }) {
  const { api } = useClient();
  const claim = api.useQuery("get", "/claims/{id}", { params: { path: { id: c.claim_id ?? "" } } });
  return (
    <Read of={claim} rows={3}>
      {(ours) => (
        <Table
          caption="The payment and the claim"
          rows={[
            {
              what: "Patient",
              payer: printable(name(c.patient_name)),
              claim: name(ours.patient_name),
            },
            {
              what: "Born",
              payer: <None said="not stated" />,
              claim: <Day value={(ours.patient ?? ours.subscriber)?.date_of_birth} />,
            },
            {
              what: "Service",
              payer: <Days from={c.service_dates.first} to={c.service_dates.last} />,
              claim: <Days from={ours.service_dates.first} to={ours.service_dates.last} />,
            },
          ]}
          id={(r) => r.what}
          columns={[
            { head: "What", cell: (r) => r.what },
            { head: "Payer", cell: (r) => <span className="wrap-anywhere">{r.payer}</span> },
            { head: "Claim", cell: (r) => <span className="wrap-anywhere">{r.claim}</span> },
          ]}
        />
      )}
    </Read>
  );
}

/** Lines asks which line of the claim each line of the payer pays. Molar finds those that one does not
 *  choose. */
function Lines({
  era,
  claim: c,
  to,
  back,
  done,
}: {
  era: ERA;
  claim: ERAClaim;
  to: Claim;
  back: () => void;
  done: () => void;
}) {
  const [chosen, setChosen] = useState<Record<number, string>>({});
  const match = useSend(
    (http, key) =>
      http.POST("/eras/{id}/claims/{ordinal}/match", {
        params: { path: { id: era.id, ordinal: String(c.ordinal) }, header: key },
        body: {
          claim_id: to.id,
          lines: Object.entries(chosen)
            .filter(([, v]) => v !== "")
            .map(([n, v]) => ({
              era_line: Number(n),
              line_number: v === "none" ? null : Number(v),
            })),
        },
      }),
    { says: "The payment is matched.", done },
  );
  const doubt = doubts(c, to);
  return (
    <div className="stack">
      <p>
        The claim is for <span className="strong">{name(to.patient_name)}</span>,{" "}
        {to.service_dates.first ? day(to.service_dates.first) : "no date"},{" "}
        {dollars(to.totals.charge)}, {to.payer.name}.{" "}
        <button type="button" className="link-button" onClick={back}>
          Choose another claim
        </button>
      </p>
      <p>{alike(compared(c, to))}</p>
      {c.lines.length > 0 && (
        <details className="lines-by-hand">
          <summary>
            Molar matches the {count(c.lines.length, "line")} by procedure, date and charge. Choose
            by hand if it cannot know.
          </summary>
          <ul className="plain stack-s">
            {c.lines.map((l, i) => (
              <li key={i} className="pair">
                <span>
                  <span className="strong">{printable(l.procedure_code)}</span>{" "}
                  <span className="muted">
                    <Day value={l.service_date} />, charged {dollars(l.charge)}
                  </span>
                </span>
                <SelectField
                  label={`Pays, line ${i + 1} of the payer`}
                  hideLabel
                  value={chosen[i + 1] ?? ""}
                  onChange={(v) => setChosen({ ...chosen, [i + 1]: v })}
                  options={[
                    ["", "Let Molar find the line"],
                    ...to.lines.map(
                      (own, n) =>
                        [
                          String(n + 1),
                          `Line ${n + 1}: ${own.procedure_code}, ${own.fee ? dollars(own.fee) : "no fee"}`,
                        ] as const,
                    ),
                    ["none", "None of them"],
                  ]}
                />
              </li>
            ))}
          </ul>
        </details>
      )}
      <div className="dialog-actions">
        <Cancel />
        {doubt.length === 0 ? (
          <Button look="primary" busy={match.isPending} onClick={() => match.go()}>
            Match and apply
          </Button>
        ) : (
          <Confirm
            title="Is this the right claim?"
            action="Match it all the same"
            onConfirm={() => match.go()}
            trigger={(ask) => (
              <Button look="primary" busy={match.isPending} onClick={ask}>
                Match and apply
              </Button>
            )}
          >
            {doubt.map((d) => (
              <p key={d}>{d}</p>
            ))}
          </Confirm>
        )}
      </div>
    </div>
  );
}
