// Matching by hand: find the claim that a payment is about. What one types is in
// the body of the search, and in no address.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { SelectField } from "../../ui/form";
import { cents, Day, Days, day, dollars, Money, name, printable } from "../../ui/format";
import { Facts, Loading, Read } from "../../ui/page";
import { count } from "../../ui/plural";
import { State } from "../../ui/state";
import type { ERAClaim } from "./claims";

type ERA = Schemas["ERA"];
type Summary = Schemas["ClaimSummary"];

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

function Finder({ era, claim: c, close }: { era: ERA; claim: ERAClaim; close: () => void }) {
  const { fetch } = useClient();
  const [text, setText] = useState(printable(c.patient_name.last_name));
  const [chosen, setChosen] = useState<Summary | null>(null);
  const query = useDeferredValue(text.trim());
  const found = useQuery({
    queryKey: ["post", "/claims/search", query],
    enabled: query.length >= 2,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data, error } = await fetch.POST("/claims/search", {
        body: { query, limit: 50 },
        signal,
      });
      if (error) throw error;
      return data;
    },
  });
  // The likeliest come first: the same charge, then the same day.
  const likeness = (s: Summary) =>
    (cents(s.totals.charge) === Math.abs(cents(c.charge)) ? 2 : 0) +
    (s.service_dates.first !== null && s.service_dates.first === c.service_dates.first ? 1 : 0);
  const claims = (found.data?.data ?? [])
    .filter((s) => s.state !== "draft")
    .sort((a, b) => likeness(b) - likeness(a));
  return (
    <div className="stack">
      <div className="sought">
        <Facts
          items={[
            ["The payer names", printable(name(c.patient_name))],
            ["Service", <Days key="s" from={c.service_dates.first} to={c.service_dates.last} />],
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
            {query.length < 2 ? (
              <p className="muted">
                Enter the beginning of a name, a whole date of birth, a member ID or a control
                number.
              </p>
            ) : (
              <Read of={found} rows={3}>
                {() => <Candidates claims={claims} like={c} choose={setChosen} />}
              </Read>
            )}
            {found.data?.truncated && (
              <p className="muted">
                More than 200 patients have such a name. Enter more of it, or a date of birth.
              </p>
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** Candidates lists the claims that a search found. */
function Candidates({
  claims,
  like: c,
  choose,
}: {
  claims: readonly Summary[];
  like: ERAClaim;
  choose: (s: Summary) => void;
}) {
  if (claims.length === 0) {
    return (
      <p className="muted">
        No sent claim is found. Try another spelling, a date of birth, or the member ID.
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
                {s.payer.name}
                {s.kind === "predetermination" && ", predetermination"}
              </span>
            </span>
            <span>
              <Days from={s.service_dates.first} to={s.service_dates.last} />
              {s.service_dates.first !== null &&
                s.service_dates.first === c.service_dates.first && (
                  <span className="sub">same date</span>
                )}
            </span>
            <span className="right">
              <Money value={s.totals.charge} />
              {cents(s.totals.charge) === Math.abs(cents(c.charge)) && (
                <span className="sub">same charge</span>
              )}
            </span>
            <State value={s.state} />
          </button>
        </li>
      ))}
    </ul>
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
  to: Summary;
  back: () => void;
  done: () => void;
}) {
  const { api } = useClient();
  const claim = api.useQuery("get", "/claims/{id}", { params: { path: { id: to.id } } });
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
  return (
    <div className="stack">
      <p>
        This is for <span className="strong">{name(to.patient_name)}</span>,{" "}
        {to.service_dates.first ? day(to.service_dates.first) : "no date"},{" "}
        {dollars(to.totals.charge)}, {to.payer.name}.{" "}
        <button type="button" className="link-button" onClick={back}>
          Choose another claim
        </button>
      </p>
      {claim.isPending ? (
        <Loading rows={2} />
      ) : (
        claim.data &&
        c.lines.length > 0 && (
          <details className="lines-by-hand">
            <summary>
              Molar matches the {count(c.lines.length, "line")} by procedure, date and charge.
              Choose by hand if it cannot know.
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
                      ...claim.data.lines.map(
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
        )
      )}
      <div className="dialog-actions">
        <Button onClick={done}>Cancel</Button>
        <Button look="primary" busy={match.isPending} onClick={() => match.go()}>
          Match and apply
        </Button>
      </div>
    </div>
  );
}
