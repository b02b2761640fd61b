// The steps of a sandbox payer that can follow what has happened to a claim.
import type { Schemas } from "../../api/client";

type Claim = Pick<Schemas["Claim"], "kind" | "state" | "frequency" | "adjudications">;
type By = "clearinghouse" | "payer";

/** Step is a choice: what is done, and by whom. */
export type Step = { name: string; do: Schemas["SandboxAction"]; by?: By; label: string };

/** Fields are what a person may say of a step, as typed. */
export type Fields = { percent: string; patient: string; reason: string; code: string };

const step = (label: string, action: Schemas["SandboxAction"], by?: By): Step => ({
  name: by ? `${action}-${by}` : action,
  do: action,
  label,
  ...(by && { by }),
});

const accepts = step("The payer accepts the claim", "accept", "payer");
const rejects = step("The payer rejects the claim", "reject", "payer");
const denies = step("The payer denies the claim", "deny");

/** following lists the steps that can follow, the likely one first. The service refuses any other. */
export function following(c: Claim): Step[] {
  const pays =
    c.kind === "predetermination"
      ? step("The payer returns an estimate", "estimate")
      : step("The payer pays the claim", "pay");
  switch (c.state) {
    case "submitted":
      return [
        step("The clearinghouse accepts the claim", "accept", "clearinghouse"),
        accepts,
        step("The clearinghouse rejects the claim", "reject", "clearinghouse"),
        rejects,
      ];
    case "accepted_clearinghouse":
      return [accepts, rejects];
    case "accepted_payer":
      if (c.frequency === "void") return [];
      if (c.frequency === "original" && c.adjudications.length > 0) return [pays, denies];
      return [
        pays,
        denies,
        step("The payer asks for a document", "request_information"),
        step("The payer forwards the claim to another payer", "forward"),
        rejects,
      ];
    case "paid":
    case "denied":
    case "reconciled":
      return [
        step("The payer reverses its decision", "reverse"),
        step("The payer takes the money back without naming the claim", "take_back"),
      ];
    default:
      return [];
  }
}

/** stepOf returns the request for a step. */
export function stepOf(s: Step, f: Fields): Schemas["SandboxStep"] {
  switch (s.do) {
    case "pay":
    case "estimate":
      return { [s.do]: { percent: Number(f.percent), patient_percent: Number(f.patient) } };
    case "deny":
      return { deny: { reason: f.reason.trim() } };
    case "reject":
      return { reject: { by: s.by ?? "payer", codes: [f.code.trim()] } };
    case "accept":
      return { accept: { by: s.by ?? "payer" } };
    default:
      return { [s.do]: {} };
  }
}
