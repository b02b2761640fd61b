// What becomes of the amount of a claim that is open: a person accepts it, and the
// claim is reconciled.
import { useState } from "react";
import { type Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Confirm } from "../../ui/dialog";
import { SelectField } from "../../ui/form";
import { cents, dollars } from "../../ui/format";
import { money } from "../remittances/standing";

type Claim = Schemas["Claim"];
type As = Schemas["AcceptedAs"];

const ways: readonly (readonly [As, string])[] = [
  ["write_off", "The practice writes it off"],
  ["bill_patient", "The patient is billed"],
  ["other", "Something else, as the note says"],
];

/** openLines returns what is open by line. What is on no line comes last. */
function openLines(c: Claim): { line_number?: number; amount: string }[] {
  const lines = c.lines.flatMap((l, i) =>
    cents(l.open ?? "0.00") === 0 ? [] : [{ line_number: i + 1, amount: l.open ?? "0.00" }],
  );
  const rest = cents(c.open ?? "0.00") - lines.reduce((sum, l) => sum + cents(l.amount), 0);
  return rest === 0 ? lines : [...lines, { amount: money(rest) }];
}

/** changedSince reports whether a remittance came after the claim was reconciled. */
const changedSince = (c: Claim): boolean =>
  c.adjudications.some(
    (a) =>
      c.payment?.reconciled_at != null &&
      Date.parse(a.applied_at) > Date.parse(c.payment.reconciled_at),
  );

/** Reconcile records that the payment is posted. An amount that is open is accepted with it. */
export function Reconcile({ claim: c }: { claim: Claim }) {
  const [as, setAs] = useState<As>("write_off");
  const send = useSend(
    (api, key, accept: { as: As; note: string } | null) =>
      api.POST("/claims/{id}/reconcile", {
        params: { path: { id: c.id }, header: key },
        body: accept
          ? { accept_open: { as: accept.as, lines: openLines(c), note: accept.note || null } }
          : {},
      }),
    { says: "The payment is recorded as posted." },
  );
  const open = cents(c.open ?? "0.00");
  const again = c.state === "reconciled";
  if (
    c.kind !== "claim" ||
    !(c.state === "paid" || c.state === "denied" || (again && (open !== 0 || changedSince(c))))
  )
    return null;
  if (open === 0)
    return (
      <Button look="primary" busy={send.isPending} onClick={() => send.go(null)}>
        {again ? "Mark the change as posted" : "Mark as posted"}
      </Button>
    );
  const what =
    open > 0 ? `${dollars(money(open))} that is open` : `${dollars(money(-open))} too much`;
  return (
    <Confirm
      title={`Accept ${what}?`}
      action="Accept and mark as posted"
      note="Note"
      noteRequired={as === "other"}
      busy={send.isPending}
      onConfirm={(note) => send.go({ as, note })}
      trigger={(ask) => (
        <Button busy={send.isPending} onClick={ask}>
          {open > 0 ? "Accept what is open" : "Accept the overpayment"}
        </Button>
      )}
    >
      <p>{c.next_step}</p>
      <SelectField
        label="What becomes of it"
        value={as}
        onChange={(v) => setAs(v as As)}
        options={ways}
      />
      <p className="muted">Reopening the claim takes this back.</p>
    </Confirm>
  );
}
