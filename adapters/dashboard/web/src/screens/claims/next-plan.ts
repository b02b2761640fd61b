// The plan of a claim's next payer, as far as it is known.
import type { Schemas } from "../../api/client";
import type { PickedPayer } from "../../ui/payer-picker";
import { aClaim, type Claim, copyOfCheck, nextPayer, type Subscriber } from "./form-data";

export type NextPlan = { payer: PickedPayer | null; relationship: string; subscriber: Subscriber };

const ofPlan = ["member_id", "group_number", "group_name"];

/** texts returns the fields of a subscriber that something has as texts. */
const texts = (from: object): Partial<Subscriber> => {
  const empty = aClaim().subscriber;
  return Object.fromEntries(
    Object.entries(from).filter(([k, v]) => k in empty && typeof v === "string"),
  );
};

/** personIn returns the patient of a claim as a subscriber of another plan. One without an address
 *  lives where the subscriber does. */
export const personIn = (
  c: Claim,
  p: Claim["subscriber"] | Claim["patient"] = c.patient ?? c.subscriber,
): Partial<Subscriber> =>
  Object.fromEntries(
    Object.entries(texts({ ...p, ...(p?.address ?? c.subscriber?.address) })).filter(
      ([k]) => !ofPlan.includes(k),
    ),
  );

/** nextPlanOf returns the next plan: as the claim names it, or else as the check asked that shows
 *  it. What the check does not have, such as the address, comes from the claim if it has the
 *  person. */
export function nextPlanOf(c: Claim, check?: Schemas["EligibilityCheck"]): NextPlan {
  const known = c.other_coverage.find((o) => o.sequence === nextPayer(c));
  const empty = aClaim().subscriber;
  if (!known && check) {
    const asked = check.request;
    const holder = personIn(c, asked.patient ? c.subscriber : (c.patient ?? c.subscriber));
    const of = copyOfCheck(check, { subscriber: { ...empty, ...holder } });
    return {
      payer: check.payer,
      relationship: asked.patient?.relationship ?? "self",
      subscriber: of.subscriber ?? empty,
    };
  }
  return {
    payer: known?.payer_id
      ? { id: known.payer_id, payer_id: known.payer_id, name: known.payer_id }
      : null,
    relationship: known?.relationship ?? "",
    subscriber: {
      ...empty,
      ...texts({
        ...known?.subscriber,
        ...known?.subscriber?.address,
        group_number: known?.group_number,
        group_name: known?.group_name,
      }),
    },
  };
}
