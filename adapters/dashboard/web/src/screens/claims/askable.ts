// Which claims a payer can be asked about, as the service decides it.
import type { Schemas } from "../../api/client";

type Claim = Pick<Schemas["Claim"], "kind" | "frequency" | "state" | "sent_at">;

/** unaskable says why the payer cannot be asked about a claim, and what to do; null if it can. */
export function unaskable(c: Claim): string | null {
  if (c.kind === "predetermination")
    return "A payer is asked about claims, and this is a predetermination. Wait for its estimate, or call the payer.";
  if (c.frequency === "void")
    return "This is a void. Ask about the claim that it voids, which is linked on this page.";
  switch (c.state) {
    case "submitted":
    case "accepted_clearinghouse":
    case "accepted_payer":
    case "rejected":
    case "paid":
    case "denied":
    case "reconciled":
      return null;
    case "voided":
      return "The claim is voided, so there is nothing to ask about.";
    case "queued":
      return "The claim waits for the next file, and the payer does not have it yet. Ask once it is sent.";
    default:
      return c.sent_at
        ? "The claim came back, and the payer does not have it as it is now. Correct it and send it, then ask."
        : "The claim was not sent, so the payer does not have it. Send it, then ask.";
  }
}
