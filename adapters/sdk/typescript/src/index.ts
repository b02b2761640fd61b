/**
 * The client of Molar's API: eligibility checks, claims, attachments and remittances.
 *
 *     const client = new Molar(); // of MOLAR_API_KEY and MOLAR_BASE_URL
 *     const check = await client.eligibility.create({ ... });
 *
 * Each write has an idempotency key, which its retries keep: nothing happens twice. To be safe from a
 * crash of your own program too, derive the key from your own record and give it as `idempotencyKey`.
 *
 * @module
 */
import { type CallOptions, Core, type Options, pause } from "./core.js";
import { MolarConnectionError, MolarError } from "./errors.js";
import {
  ClaimsOperations,
  EligibilityOperations,
  EventsOperations,
  Operations,
} from "./operations.js";
import type {
  Claim,
  ClaimState,
  EligibilityCheck,
  EligibilityRequest,
  EligibilityRequestPatient,
  EligibilityRequestSubscriber,
  Event,
  EventsListParams,
} from "./types.js";
import { unwrap } from "./webhooks.js";

export { type Amount, cents, fromCents } from "./amount.js";
export type { CallOptions, Options, Reply } from "./core.js";
export * from "./errors.js";
export type { Download, Upload } from "./files.js";
export { List, type Page } from "./list.js";
export * from "./types.js";
export { unwrap } from "./webhooks.js";

/** Changes of a request: a field of an object changes alone, and null removes it. */
export type Changes<T> = {
  [K in keyof T]?: T[K] extends object | null | undefined
    ? Changes<NonNullable<T[K]>> | null
    : T[K] | null;
};

class Eligibility extends EligibilityOperations {
  /**
   * retry sends a check again that was rejected or failed, with changes. The new check names the old
   * one as its parent, and has a key of its own.
   */
  retry(
    check: EligibilityCheck,
    changes: Changes<EligibilityRequest>,
    options?: CallOptions,
  ): Promise<EligibilityCheck> {
    const body = merged(asked(check), changes as Record<string, unknown>);
    return this.create(body as unknown as EligibilityRequest, options);
  }

  /** suggested returns the changes that a rejection suggests, for retry. It is empty if the payer suggested none. */
  suggested(check: EligibilityCheck): Changes<EligibilityRequest> {
    const changes: Record<string, unknown> = {};
    for (const { field, suggested_value } of check.rejection?.reasons ?? []) {
      if (field === null || suggested_value === undefined || suggested_value === null) continue;
      const [of, name] = field.split(".");
      if (of === undefined) continue;
      changes[of] =
        name === undefined
          ? suggested_value
          : { ...(changes[of] as object | undefined), [name]: suggested_value };
    }
    return changes as Changes<EligibilityRequest>;
  }
}

/**
 * asked is the request that corrects a check. What a later service also shows of a request, it may not
 * accept. All: a new field of requests does not compile until it is here.
 */
function asked(check: EligibilityCheck): All<EligibilityRequest> {
  const { subscriber, patient, service_date, procedure_codes, detail_level } = check.request;
  const person = ({ first_name, last_name, date_of_birth }: Person): Person => ({
    first_name,
    last_name,
    date_of_birth,
  });
  const { member_id, group_number, gender = null } = subscriber;
  const holder: All<EligibilityRequestSubscriber> = {
    ...person(subscriber),
    member_id,
    group_number,
    gender,
  };
  const dependent: All<EligibilityRequestPatient> | null = patient && {
    ...person(patient),
    relationship: patient.relationship,
    gender: patient.gender ?? null,
  };
  return {
    office_id: check.office_id,
    payer_id: check.payer.id,
    parent_id: check.id,
    tenant_reference: check.tenant_reference,
    service_date,
    procedure_codes,
    detail_level,
    subscriber: holder,
    patient: dependent,
  };
}

type All<T> = Record<keyof T, unknown>;
type Person = Record<"first_name" | "last_name" | "date_of_birth", string>;

function merged(
  body: Record<string, unknown>,
  changes: Record<string, unknown>,
): Record<string, unknown> {
  const all = { ...body };
  for (const [name, value] of Object.entries(changes)) {
    const plain = (v: unknown): v is Record<string, unknown> =>
      typeof v === "object" && v !== null && !Array.isArray(v);
    const had = all[name];
    all[name] = plain(value) && plain(had) ? merged(had, value) : value;
  }
  return all;
}

const pollEvery = 1000;
const readAgain = 5000;

/** passes tells whether what failed may succeed a little later. */
function passes(error: unknown): boolean {
  return (
    (error instanceof MolarConnectionError && !error.ended) ||
    (error instanceof MolarError && error.retryable)
  );
}

/** WaitError is the error of a claim that did not come to a state in time. */
export class WaitError extends Error {
  /** As it was read last. It shows a patient: console.log of an error leaves it out. */
  declare readonly claim: Claim;

  constructor(claim: Claim) {
    super(`claim ${claim.id} is still ${claim.state}`);
    this.name = "WaitError";
    Object.defineProperty(this, "claim", { value: claim });
  }
}

class Claims extends ClaimsOperations {
  constructor(
    core: Core,
    private readonly events: EventsOperations,
  ) {
    super(core);
  }

  /**
   * wait waits until a claim is in one of the states, or until a function says so of it, for at most so many
   * milliseconds. It follows the claim's events, and also reads the claim again every 5 s. A lost connection does
   * not end it.
   */
  async wait(
    id: string,
    until: ClaimState | ClaimState[] | ((claim: Claim) => boolean),
    timeout = 60_000,
    options: CallOptions = {},
  ): Promise<Claim> {
    const done =
      typeof until === "function" ? until : (claim: Claim) => [until].flat().includes(claim.state);
    const deadline = Date.now() + timeout;
    let claim = await this.get(id, options);
    let readAt = Date.now();
    let newest: string | undefined;
    while (!done(claim)) {
      if (Date.now() >= deadline) throw new WaitError(claim);
      await pause(Math.min(pollEvery / 2, deadline - Date.now()), options.signal);
      try {
        const last = (await this.events.list({ resource_id: id, limit: 1 }, options).page()).data[0]
          ?.id;
        if (last === newest && Date.now() - readAt < readAgain) continue;
        claim = await this.get(id, options);
        readAt = Date.now();
        newest = last;
      } catch (error) {
        if (!passes(error)) throw error;
      }
    }
    return claim;
  }
}

class Events extends EventsOperations {
  /**
   * tail yields the events after one, in their order, and then those that happen, for ever. Without one it
   * begins with the oldest that is kept. Store the ID of each event when you are done with it: tail then goes
   * on after it. It survives lost connections, and never skips an event: if those after the one are no
   * longer kept, it throws an EventExpiredError.
   */
  async *tail(
    after?: string,
    params: EventsListParams = {},
    options?: CallOptions,
  ): AsyncGenerator<Event> {
    for (let last = after; ; ) {
      try {
        const page = await this.list(
          { ...params, order: "asc", limit: 100, ...(last && { after: last }) },
          options,
        ).page();
        for (const event of page.data) {
          last = event.id;
          yield event;
        }
        if (page.data.length > 0) continue;
      } catch (error) {
        if (!passes(error)) throw error;
      }
      await pause(pollEvery, options?.signal);
    }
  }
}

/** Molar calls the API with a key. */
export class Molar extends Operations {
  override readonly eligibility: Eligibility;
  override readonly claims: Claims;
  override readonly events: Events;
  readonly webhooks = { unwrap };
  readonly #core: Core;

  constructor(options: Options = {}) {
    const core = new Core(options);
    super(core);
    this.#core = core;
    this.eligibility = new Eligibility(core);
    this.events = new Events(core);
    this.claims = new Claims(core, this.events);
  }

  /** request sends any request, such as one that this version does not know. The path follows /api/v1. */
  request<T = unknown>(
    verb: string,
    path: string,
    body?: unknown,
    query?: object,
    options?: CallOptions,
  ): Promise<T> {
    const method = verb.toUpperCase();
    const keyed = method !== "GET" && method !== "HEAD";
    return this.#core.json(
      { method, path, keyed, ...(body !== undefined && { body }), ...(query && { query }) },
      options,
    );
  }
}
