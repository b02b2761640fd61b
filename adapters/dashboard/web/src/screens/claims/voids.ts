// How a claim can be voided, as the service decides it.
import type { Schemas } from "../../api/client";

type Claim = Pick<
  Schemas["Claim"],
  "state" | "frequency" | "sent_at" | "batch_id" | "history" | "adjudications"
>;

const back = ["rejected", "not_found", "file_rejected", "file_rejected_again"];
const there = [
  "send",
  "replace",
  "clearinghouse_accepted",
  "payer_accepted",
  "payment",
  "denial",
  "reversal",
  "estimate",
];

/** cameBack tells whether the claim was rejected since it was sent last. */
function cameBack(c: Claim): boolean {
  const last = c.history.findLast((m) => back.includes(m.cause) || there.includes(m.cause));
  return !!last && back.includes(last.cause);
}

/** endsHere tells whether the claim is voided at once: no payer has it. */
export function endsHere(c: Claim): boolean {
  if (c.frequency === "void") return false;
  if (!["draft", "validated", "needs_attention", "queued", "rejected"].includes(c.state))
    return false;
  if (!c.sent_at) return !c.batch_id;
  return (
    c.frequency === "original" &&
    c.adjudications.length === 0 &&
    cameBack(c) &&
    (c.state !== "queued" || !c.batch_id)
  );
}

/** payerVoids tells whether a void can be sent to the payer, which has the claim, or what it replaces. */
export function payerVoids(c: Claim): boolean {
  return (
    c.frequency !== "void" &&
    !endsHere(c) &&
    [
      "validated",
      "rejected",
      "accepted_clearinghouse",
      "accepted_payer",
      "paid",
      "denied",
    ].includes(c.state)
  );
}
