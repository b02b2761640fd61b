// Which checks can be made again, and what they then ask.
import type { Schemas } from "../../api/client";
import type { CheckResource } from "./standing";

/** unrepeatable says why a payer is not asked the same again; null if it is. */
export function unrepeatable(c: Pick<CheckResource, "state" | "outcome">): string | null {
  if (c.state === "pending") return "The payer is being asked.";
  return c.outcome === "rejected" ? "The payer rejected it. Open it and correct it." : null;
}

/** unanswered says why a check has no page to print; null if it has. */
export const unanswered = (c: Pick<CheckResource, "outcome">): string | null =>
  c.outcome === "answered" ? null : "The payer has not answered it.";

/** asking returns what a check asked, to be asked again: about the same day, or about today once that has passed. */
export function asking(c: CheckResource, today: string): Schemas["EligibilityRequest"] {
  const { subscriber, patient, service_date: date, procedure_codes: codes } = c.request;
  return {
    office_id: c.office_id,
    payer_id: c.payer.id,
    subscriber,
    patient,
    service_date: date < today ? null : date,
    procedure_codes: codes.length > 0 ? codes : null,
    detail_level: c.request.detail_level,
  };
}
