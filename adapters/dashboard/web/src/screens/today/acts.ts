// Tasks in the words of a biller: what each kind is called, where its resource is, and what to do first.
import type { Schemas } from "../../api/client";
import { type AnyTarget, screenOf } from "../../shell/places";
import type { Noted } from "../../ui/notes";

export type Task = Schemas["Task"];

/** kinds names every kind of task, in the order of the counts. */
export const kinds: Record<Task["kind"], string> = {
  filing_limit: "Filing limit",
  claim_rejected: "Rejected claim",
  claim_held: "Held claim",
  draft_old: "Old draft",
  unacknowledged: "Not acknowledged",
  no_decision: "No decision",
  denied: "Denied",
  appeal_due: "Appeal",
  underpaid: "Underpaid",
  overpaid: "Overpaid",
  changed_after_reconcile: "Payment changed",
  secondary_to_bill: "Next payer to bill",
  secondary_outdated: "Next payer to correct",
  request_due: "Payer request",
  remittance_unbalanced: "Payment does not add up",
  remittance_unmatched: "Remittance to finish",
  remittance_correction: "Correction to decide",
  remittance_to_post: "Remittance to post",
  deposit_missing: "Money missing",
  deposit_unmatched: "Deposit to match",
  images_unsent: "Images not sent",
  check_needs_person: "Check before the visit",
  enrollment_waiting: "Enrollment",
  connection_paused: "Connection paused",
  quarantined: "In quarantine",
};

/** decisions are what may be decided about a task instead of doing it, as one says it on a button. */
export const decisions: Record<Schemas["DecisionAs"], string> = {
  accepted: "Accept it",
  not_billed: "Bill no next payer",
  will_not_send: "Send nothing",
  received_elsewhere: "Received elsewhere",
  not_insurance: "Not insurance",
  handled: "Done, nothing more to do now",
  canceled: "The visit is off",
};

/** decided says what was decided about a task. */
export const decided: Record<Schemas["DecisionAs"], string> = {
  accepted: "accepted as it is",
  not_billed: "no next payer is billed",
  will_not_send: "nothing is sent",
  received_elsewhere: "received elsewhere",
  not_insurance: "not insurance",
  handled: "done, nothing more to do until something changes",
  canceled: "the visit is off",
};

/** dueFrom says who named the day of a task. */
export const dueFrom: Record<NonNullable<Task["due_from"]>, string> = {
  payer: "payer’s day",
  practice: "usual practice",
  person: "your day",
  appointment: "the visit",
};

/** Act is an operation that a task allows: the words on its button, and the form that does it. Without a form, a button
 *  on the resource's own screen does it, which has the operation as data-act. */
type Act = { label: string; form?: string };

/** acts has the operations by their names in the contract. What is not here opens the resource. */
const acts: Partial<Record<string, Act>> = {
  getClaim: { label: "Look at the claim" },
  updateClaim: { label: "Correct the claim", form: "/edit" },
  replaceClaim: { label: "Replace the claim", form: "/replace" },
  createAttachment: { label: "Send documents" },
  billSecondary: { label: "Bill the next payer", form: "/secondary" },
  reconcileClaim: { label: "Reconcile" },
  reopenClaim: { label: "Reconcile again" }, // which asks what becomes of the open amount
  voidClaim: { label: "Void the claim" },
  releaseClaim: { label: "Release" },
  submitClaim: { label: "Send to the payer" },
  createAppeal: { label: "Appeal" },
  recordAppealSent: { label: "Open the appeal" },
  recordAppealDecided: { label: "Open the appeal" },
  createStatusInquiry: { label: "Ask the payer" },
  answerPayerRequest: { label: "Answer" },
  acknowledgeERA: { label: "Acknowledge" },
  matchERAClaim: { label: "Finish the claims" },
  getERA: { label: "Look at the remittance" },
  replaceERA: { label: "Decide" },
  postERA: { label: "Post" },
  matchDeposit: { label: "Match" },
  closeAttachment: { label: "Send to the payer" },
  uploadDocument: { label: "Add images" },
  putEnrollment: { label: "Record where it is" },
  retryEligibilityBatch: { label: "Correct or ask again" },
  getEligibilityCheck: { label: "Look at the answer" },
  listConnections: { label: "See what waits" },
  assignQuarantinedFile: { label: "Assign to an office" },
  deleteQuarantinedFile: { label: "Look at the file" },
};

/** placeOf returns the screen of what a task is about. An enrollment is on that of its office, an
 *  item of a batch of checks on that of its batch, and what a connection keeps waiting among the
 *  claims. */
export function placeOf(t: Task): AnyTarget {
  const search = { order: "asc" } as const;
  if (t.resource.batch_id) return { to: `/schedule/${t.resource.batch_id}` };
  if (t.resource.object === "quarantined_file") return { to: "/remittances/quarantine", search };
  if (t.resource.object === "connection")
    return { to: "/claims", search: { ...search, state: ["queued"] } };
  return (
    screenOf(t.resource.id) ?? {
      to: t.office_id ? `/settings/offices/${t.office_id}` : "/settings",
    }
  );
}

/** notesOf has the notes of each kind of resource that a task is about. */
const notesOf: Record<Task["resource"]["object"], Noted> = {
  claim: "/claims/{id}/notes",
  era: "/eras/{id}/notes",
  payer_request: "/payer_requests/{id}/notes",
  attachment: "/attachments/{id}/notes",
  enrollment: "/enrollments/{id}/notes",
  deposit: "/deposits/{id}/notes",
  quarantined_file: "/quarantine/{id}/notes",
  connection: "/connections/{id}/notes",
  eligibility_batch_item: "/eligibility/batches/{id}/items/{item_id}/notes",
};

/** notedOf returns where the notes about a task are. */
export const notedOf = ({ resource: r }: Task) => ({
  of: notesOf[r.object],
  id: r.batch_id ?? r.id,
  item: r.item_id ?? "",
});

/** actOf returns what to do first about a task: its name, its words, and where it is done. */
export function actOf(t: Task): { name: string; label: string; target: AnyTarget } {
  const [name = ""] = t.actions;
  const { label = "Open", form } = acts[name] ?? {};
  const place = placeOf(t);
  return { name, label, target: form ? ({ to: place.to + form } as AnyTarget) : place };
}
