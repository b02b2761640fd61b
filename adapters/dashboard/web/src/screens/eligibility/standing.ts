// What a check comes to in a word.
import type { Schemas } from "../../api/client";
import type { Tone } from "../../ui/state";

export type CheckResource = Schemas["EligibilityCheck"];

const outcomes: Partial<Record<Schemas["Outcome"], [string, Tone]>> = {
  rejected: ["Rejected by the payer", "bad"],
  payer_unavailable: ["Payer unavailable", "warn"],
  error: ["Failed", "bad"],
};

/** standing returns in a word whether the patient is covered, or why that is not known. */
export function standing(c: CheckResource): [string, Tone] {
  if (c.state === "pending") return ["Waiting for the payer", "info"];
  const failed = c.outcome && outcomes[c.outcome];
  if (failed) return failed;
  if (c.status === "active") return ["Covered", "good"];
  return c.status === "inactive" ? ["Not covered", "bad"] : ["Coverage not stated", "warn"];
}
