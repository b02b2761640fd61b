// What the codes of the API mean: types of events, statuses and errors.
import type { Schemas } from "../api/client";

type EventType = Schemas["EventType"];

/** eventTypes are the types of events, in words. */
export const eventTypes: Record<EventType, string> = {
  "eligibility.completed": "Eligibility check completed",
  "claim.validated": "Claim ready to send",
  "claim.needs_attention": "Claim needs attention",
  "claim.queued": "Claim queued",
  "claim.submitted": "Claim submitted",
  "claim.accepted": "Claim accepted",
  "claim.rejected": "Claim rejected",
  "claim.status_updated": "Claim status updated",
  "claim.voided": "Claim voided",
  "claim.paid": "Claim paid",
  "claim.denied": "Claim denied",
  "claim.payment_reversed": "Claim payment reversed",
  "predetermination.returned": "Estimate returned",
  "attachment.completed": "Attachment completed",
  "payer_request.received": "Payer request received",
  "era.received": "Remittance received",
  "batch.acknowledged": "Claim file acknowledged",
  "api_key.created": "API key created",
  "api_key.revoked": "API key revoked",
};

/** acts says what to do about an amount that a payer refuses. */
export const acts: Record<Schemas["AdjustmentAct"], string> = {
  correct_and_replace: "correct and replace",
  send_documents: "send documents",
  appeal: "appeal",
  bill_patient: "bill the patient",
  bill_next_payer: "bill the next payer",
  write_off: "write off",
  none: "nothing",
};

const statuses: Record<number, string> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No content",
  301: "Moved",
  302: "Found",
  303: "See other",
  307: "Temporary redirect",
  308: "Permanent redirect",
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  408: "Request timeout",
  409: "Conflict",
  410: "Gone",
  413: "Too large",
  415: "Unsupported media type",
  422: "Invalid",
  429: "Too many requests",
  500: "Internal error",
  501: "Not implemented",
  502: "Bad gateway",
  503: "Unavailable",
  504: "Timeout",
};

/** statusText returns an HTTP status with its meaning: 404 Not found. */
export function statusText(status: number): string {
  return statuses[status] ? `${status} ${statuses[status]}` : String(status);
}

/** statusTone returns the tone of an HTTP status. */
export function statusTone(status: number | null): "good" | "warn" | "bad" | "plain" {
  if (status === null) return "plain";
  if (status >= 500) return "bad";
  return status >= 300 ? "warn" : "good";
}

/** kindOf returns what an ID names, by its beginning. */
export function kindOf(id: string): string {
  return (
    {
      clm: "claim",
      elg: "eligibility check",
      bat: "schedule",
      att: "attachment",
      prq: "payer request",
      era: "remittance",
      pat: "patient",
      off: "office",
      prv: "provider",
      pyr: "payer",
      fil: "claim file",
      doc: "document",
      key: "API key",
      whe: "webhook endpoint",
      whd: "delivery",
      evt: "event",
      req: "request",
      org: "organization",
      usr: "user",
    }[id.slice(0, 3)] ?? "resource"
  );
}

const errors: Record<string, string> = {
  UNAUTHORIZED: "The API key is missing, wrong or revoked.",
  PERMISSION_DENIED: "The API key does not have the permission for this operation.",
  NOT_FOUND: "The resource does not exist in this organization and mode.",
  METHOD_NOT_ALLOWED: "This path does not support the method.",
  INVALID_REQUEST: "A field or parameter of the request is not valid. The reply named it.",
  IDEMPOTENCY_KEY_REQUIRED: "The write had no Idempotency-Key header.",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used before for a different request.",
  IDEMPOTENCY_KEY_IN_USE: "Another request with the same Idempotency-Key was still under way.",
  PAYLOAD_TOO_LARGE: "The body was larger than the operation accepts.",
  UNSUPPORTED_ENCODING: "The body had an encoding that the service does not read.",
  TOO_MANY_REQUESTS: "The organization sent more requests than its limit allows.",
  REQUEST_TIMEOUT: "The body did not arrive in time.",
  TIMEOUT: "The service did not finish in time. Repeat the request with the same Idempotency-Key.",
  PAYER_REJECTED: "The payer rejected the request.",
  PAYER_UNAVAILABLE: "The payer was not available.",
  NETWORK_ERROR: "The clearinghouse could not be reached.",
  ELIGIBILITY_UNAVAILABLE: "Eligibility checks were not available.",
  ATTACHMENTS_UNAVAILABLE: "Attachments were not available.",
  ATTACHMENTS_NETWORK_ERROR: "The attachment network could not be reached.",
  UNAVAILABLE: "The service was not available. Repeat the request later.",
  CONFLICT: "The resource is in a state that does not allow this.",
  CHANGED_MEANWHILE: "Someone had changed the resource since the version in If-Match.",
  CHOOSE_ORGANIZATION: "The person may sign in to several organizations, and named none.",
  TOTP_REQUIRED: "The organization requires a second factor, which the person does not have.",
  TEST_MODE_ONLY: "The operation belongs to the sandbox, and live mode has none.",
  CLOCK_ADVANCING: "The clock of test mode was being advanced.",
  SANDBOX_RESETTING: "Test mode was being reset.",
  EVENT_EXPIRED: "The event in after is older than all that are kept.",
  INTERNAL:
    "The service failed. Repeat the request, and report it with the request ID if it fails again.",
};

/** errorText returns what an error code means. */
export function errorText(code: string): string | undefined {
  return errors[code];
}
