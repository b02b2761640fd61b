// The open amount of a claim: a person accepts it, and the claim is reconciled.
import { useState } from "react";
import { type Schemas, seen } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Confirm } from "../../ui/dialog";
import { SelectField } from "../../ui/form";
import { cents, dollars } from "../../ui/format";
import { money } from "../remittances/standing";

type Claim = Schemas["Claim"];
type As = Schemas["AcceptedAs"];

type Ways = readonly [readonly [As, string], ...(readonly [As, string])[]];

const ways: Ways = [
  ["write_off", "Write it off"],
  ["bill_patient", "Bill the patient"],
  ["other", "Other, as the note says"],
];

/** waysBack are those of an overpayment, which the payer mostly wants back. */
const waysBack: Ways = [
  ["other", "The payer takes it back, or we refund it"],
  ["write_off", "Lower the write-off by it"],
  ["bill_patient", "Credit it to the patient"],
];

/** openLines returns what is open by line. What is on no line comes last. */
function openLines(c: Claim): { line_number?: number; amount: string }[] {
  const lines = c.lines.flatMap((l, i) =>
    cents(l.open ?? "0.00") === 0 ? [] : [{ line_number: i + 1, amount: l.open ?? "0.00" }],
  );
  const rest = cents(c.open ?? "0.00") - lines.reduce((sum, l) => sum + cents(l.amount), 0);
  return rest === 0 ? lines : [...lines, { amount: money(rest) }];
}

/** toReplace reports whether replacing the claim comes first: the payer left nothing to the patient, or took back all
 *  that it decided. */
export const toReplace = (c: Claim): boolean =>
  c.kind === "claim" &&
  ((c.state === "denied" && cents(c.payment?.patient_responsibility ?? "0.00") === 0) ||
    (c.state === "accepted_payer" && c.payment_changed));

/** firstAct returns the operation that the primary button of a decided claim has: what the largest refusal asks for,
 *  while it leaves money open. */
export function firstAct(c: Claim): string {
  const refused = cents(c.open ?? "0.00") > 0 && (c.state === "paid" || c.state === "denied");
  switch (refused ? c.act : null) {
    case "correct_and_replace":
      return "replaceClaim";
    case "send_documents":
      return "createAttachment";
    case "bill_next_payer":
      return "billSecondary";
    case "appeal":
      return "createAppeal";
    case "write_off":
    case "none":
      return "reconcileClaim";
    default:
      return toReplace(c) ? "replaceClaim" : "reconcileClaim";
  }
}

/** Reconcile closes a claim whose payment is in the practice's books. An open amount is accepted with it. */
export function Reconcile({ claim: c }: { claim: Claim }) {
  const open = cents(c.open ?? "0.00");
  const options = open < 0 ? waysBack : ways;
  const [chosen, choose] = useState<As>();
  const as = chosen ?? options[0][0];
  const send = useSend(
    (api, key, accept: { as: As; note: string } | null) =>
      api.POST("/claims/{id}/reconcile", {
        params: { path: { id: c.id }, header: { ...key, ...seen(c) } },
        body: accept
          ? { accept_open: { as: accept.as, lines: openLines(c), note: accept.note || null } }
          : {},
      }),
    { says: "The claim is reconciled." },
  );
  const again = c.state === "reconciled";
  if (
    c.kind !== "claim" ||
    !(c.state === "paid" || c.state === "denied" || (again && (open !== 0 || c.payment_changed)))
  )
    return null;
  if (open === 0)
    return (
      <Button
        data-act="reconcileClaim"
        look={firstAct(c) === "reconcileClaim" ? "primary" : "plain"}
        busy={send.isPending}
        onClick={() => send.go(null)}
      >
        {again ? "Reconcile again" : "Reconcile"}
      </Button>
    );
  const what =
    open > 0
      ? `the open amount of ${dollars(money(open))}`
      : `the overpayment of ${dollars(money(-open))}`;
  return (
    <Confirm
      title={`Accept ${what}?`}
      action="Accept and reconcile"
      note="Note"
      noteRequired={as === "other"}
      busy={send.isPending}
      onConfirm={(note) => send.go({ as, note })}
      trigger={(ask) => (
        <Button
          data-act={again ? "reconcileClaim reopenClaim" : "reconcileClaim"}
          look={again || c.act === "write_off" ? "primary" : "plain"}
          busy={send.isPending}
          onClick={ask}
        >
          {again ? "Reconcile again" : `Accept the ${open > 0 ? "open amount" : "overpayment"}`}
        </Button>
      )}
    >
      <p>{c.next_step}</p>
      <SelectField
        label="How to close it"
        value={as}
        onChange={(v) => choose(v as As)}
        options={options}
      />
      <p className="muted">Reopen the claim to undo this.</p>
    </Confirm>
  );
}
