import { useState } from "react";
import type { Schemas } from "../../api/client";
import { Changer } from "../../ui/changer";
import { When } from "../../ui/format";
import { useNotes } from "../../ui/notes";
import { stateName } from "../../ui/state";
import { lacks } from "./advice";

type Claim = Schemas["Claim"];

const causes: Record<string, string> = {
  validation: "Checked without findings",
  findings: "Checked with findings",
  draft: "Saved as a draft",
  submit: "Queued for the next file",
  replace: "Replaced",
  send: "Sent",
  file_rejected: "The clearinghouse rejected the file",
  file_rejected_again: "The clearinghouse rejected the next file too",
  clearinghouse_accepted: "The clearinghouse accepted it",
  payer_accepted: "The payer accepted it",
  rejected: "Rejected",
  not_found: "The payer did not find it",
  status: "Status received",
  payment: "Payment received",
  denial: "Denial received",
  reversal: "Payment taken back",
  estimate: "Estimate received",
  reconcile: "Reconciled",
  void: "Void queued",
  voided: "Voided",
  convert: "Converted",
  reopen: "Reopened",
  hold: "Held",
  release: "Released",
  settle: "Task settled",
  unsettle: "Task open again: its decision was taken back",
  advice_ignored: "Sent without what the payer wants to see",
  edit: "Changed",
  void_unsent: "Voided, the payer does not have it",
  earlier_payer_decided: "The earlier payer decided",
  earlier_payer_changed: "The earlier payer changed its decision",
  enrollment: "Checked again: the office is enrolled",
  submit_withdrawn: "Changed, and no longer sent automatically",
  match: "A remittance claim was matched by hand",
  apply: "A remittance claim was applied by hand",
  ignore: "A remittance claim was ignored",
  unapply: "A remittance claim was unapplied",
  correct: "A remittance was replaced by its correction",
  patient_erased: "The patient was erased",
};

/** titleOf names a step of a claim's history. */
function titleOf(claim: Claim, h: Claim["history"][number]): string {
  const ignored = claim.advice_ignored.find((i) => i.at === h.at && i.reason === h.note);
  if (h.cause === "advice_ignored" && ignored && lacks[ignored.code])
    return `Sent ${lacks[ignored.code]}`;
  return causes[h.cause] ?? stateName(h.state);
}

/** Timeline lists what happened to a claim, and what people wrote about it meanwhile, newest first. */
export function Timeline({ claim }: { claim: Claim }) {
  const [all, setAll] = useState(false);
  const { rows: notes } = useNotes("/claims/{id}/notes", claim.id);
  const steps = [
    ...claim.history.map((step) => ({ at: step.at, step, note: undefined })),
    ...notes.map((note) => ({ at: note.at, step: undefined, note })),
  ]
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .reverse();
  const shown = all ? steps : steps.slice(0, 8);
  return (
    <>
      <ol className="timeline">
        {shown.map(({ at, step, note }, i) => (
          <li key={`${at} ${i}`}>
            {step ? <Step claim={claim} of={step} /> : <Noted note={note} />}
          </li>
        ))}
      </ol>
      {steps.length > shown.length && (
        <button type="button" className="link-button" onClick={() => setAll(true)}>
          Show all {steps.length} steps
        </button>
      )}
    </>
  );
}

function Step({ claim, of: h }: { claim: Claim; of: Claim["history"][number] }) {
  return (
    <>
      <p className="strong">{titleOf(claim, h)}</p>
      <p className="muted small">
        <When value={h.at} full /> · {stateName(h.state)}
        {h.by && (
          <>
            {" "}
            · <Changer by={h.by} />
          </>
        )}
      </p>
      {h.note && <p className="wrap-anywhere">{h.note}</p>}
      {h.file && <p className="muted small wrap-anywhere">File {h.file}</p>}
    </>
  );
}

function Noted({ note: n }: { note: Schemas["Note"] }) {
  return (
    <>
      <p className="strong">{n.struck ? "Note, struck" : "Note"}</p>
      <p className="muted small">
        <When value={n.at} full /> · <Changer by={n.by} />
      </p>
      <p className="words">{n.struck ? <s>{n.text}</s> : n.text}</p>
    </>
  );
}
