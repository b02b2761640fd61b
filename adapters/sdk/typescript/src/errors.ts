import type { EligibilityCheck } from "./types.js";

/** A fault of one field of a request. */
export interface Fault {
  /** A path, such as lines.0.procedure_code. */
  field: string;
  code: string;
  message: string;
}

/** MolarError is an error reply of the API. Its subclasses tell what a program does about it. */
export class MolarError extends Error {
  readonly status: number;
  /** Such as INVALID_REQUEST. */
  readonly code: string;
  readonly faults: Fault[];
  /** Quote it when you ask the people who run the service. */
  readonly requestId: string;
  /** The page about the code. */
  readonly docUrl: string | undefined;
  /** The same request may succeed later. The client has tried already. */
  readonly retryable: boolean;
  /** The idempotency key keeps this reply: to try again, send a new one. */
  readonly needsNewKey: boolean;
  readonly headers: Headers;
  /**
   * The body, with fields that this version does not know. It can show a patient: console.log of an
   * error leaves it out.
   */
  declare readonly body: Record<string, unknown>;

  constructor(status: number, headers: Headers, body: Record<string, unknown>, origin: string) {
    const faults = Array.isArray(body.errors) ? (body.errors as Fault[]) : [];
    const message =
      typeof body.message === "string" && typeof body.error === "string"
        ? body.message
        : "The reply is not one of Molar. Check the base URL, and what stands before the service.";
    super(
      [
        `${[status, body.error].filter(Boolean).join(" ")}: ${message}`,
        ...faults.map((f) => `${f.field}: ${f.message}`),
      ].join("; "),
    );
    this.name = new.target.name;
    this.status = status;
    this.code = typeof body.error === "string" ? body.error : "";
    this.faults = faults;
    this.requestId = headers.get("x-request-id") ?? "";
    this.docUrl = typeof body.doc_url === "string" ? origin + body.doc_url : undefined;
    const asked = headers.get("x-should-retry");
    this.retryable =
      asked === null && this.code === "" ? [502, 503, 504].includes(status) : asked === "true";
    this.needsNewKey = body.needs_new_key === true;
    this.headers = headers;
    Object.defineProperty(this, "body", { value: body });
  }
}

/** Change the fields that `faults` names. */
export class InvalidRequestError extends MolarError {}
/** The key does not work. */
export class AuthenticationError extends MolarError {}
/** The key may not do this. */
export class PermissionDeniedError extends MolarError {}
/** Nothing with this ID, for this key. */
export class NotFoundError extends MolarError {}
/** The events after the given one are no longer kept. */
export class EventExpiredError extends NotFoundError {
  /** The oldest event that is kept. */
  get oldestEventId(): string | undefined {
    const id = this.body.oldest_event_id;
    return typeof id === "string" ? id : undefined;
  }
}
/** The resource is in another state, or has changed. */
export class ConflictError extends MolarError {}
/** Too many requests. */
export class RateLimitError extends MolarError {}
/** The payer or its network refused, or did not respond. */
export class PayerError extends MolarError {
  /** The eligibility check that failed, if the error is of one. */
  get check(): EligibilityCheck | undefined {
    return this.body.check as EligibilityCheck | undefined;
  }
}
/** Molar failed, or is not ready. */
export class ServiceError extends MolarError {
  /** The eligibility check that failed, if the error is of one. */
  get check(): EligibilityCheck | undefined {
    return this.body.check as EligibilityCheck | undefined;
  }
}

/** MolarConnectionError is the error of a request without a reply. */
export class MolarConnectionError extends Error {
  /** The service may have the request. Send a write again with the same key, and it happens once. */
  readonly maybeReceived: boolean;
  /** @internal */
  readonly ended: boolean;

  constructor(origin: string, cause: unknown, maybeReceived: boolean, ended: boolean) {
    const known = maybeReceived ? "may have received" : "did not receive";
    super(`${origin} did not reply: ${reason(cause)}; the service ${known} the request`, { cause });
    this.name = "MolarConnectionError";
    this.maybeReceived = maybeReceived;
    this.ended = ended;
  }
}

function reason(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}

/** SignatureError is the error of a webhook that is not signed with any of the secrets, or that is too old. */
export class SignatureError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SignatureError";
  }
}

/** @internal */
export function refused(
  status: number,
  headers: Headers,
  text: string,
  origin: string,
): MolarError {
  let body: Record<string, unknown> = {};
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === "object" && read !== null) body = read as Record<string, unknown>;
  } catch {
    // a proxy replied
  }
  return new (classOf(status, String(body.error ?? "")))(status, headers, body, origin);
}

function classOf(status: number, code: string): typeof MolarError {
  if (code.startsWith("PAYER_") || code.endsWith("NETWORK_ERROR")) return PayerError;
  if (code === "EVENT_EXPIRED") return EventExpiredError;
  switch (status) {
    case 401:
      return AuthenticationError;
    case 403:
      return PermissionDeniedError;
    case 404:
    case 410:
      return NotFoundError;
    case 409:
    case 412:
      return ConflictError;
    case 429:
      return RateLimitError;
  }
  if (status < 400) return MolarError; // a page or a redirect of something that is not Molar
  return status >= 500 ? ServiceError : InvalidRequestError;
}
