// What the address of a screen holds beside its path: the filters of a list, so
// that a link shows the same list. It never holds patient data.
import type { operations } from "./schema";

/** Filters are those of a list in the contract. Its pages are not in the address. */
type Filters<O extends keyof operations> = Omit<
  NonNullable<operations[O]["parameters"]["query"]>,
  "limit" | "cursor"
>;

/** ReportFilters are those of a report. The time zone is the one that all screens have; see ui/format. */
type ReportFilters<O extends keyof operations> = Omit<Filters<O>, "time_zone">;

/** Searches are the search parameters of each screen, by its path below the mode. */
export type Searches = {
  "/": Omit<Filters<"listTasks">, "resource_id" | "due_before" | "amount_from">;
  "/claims": Filters<"listClaims">;
  "/claims/new": { patient_id?: string; check_id?: string; estimate_id?: string };
  "/eligibility": Filters<"listEligibilityChecks">;
  "/eligibility/new": { again?: string; patient_id?: string };
  "/schedule/$id": Omit<Filters<"listEligibilityBatchItems">, "item_id">; // an ID of the practice's own
  "/estimates/new": { check_id?: string; again?: string };
  "/attachments": Filters<"listAttachments">;
  "/attachments/new": { claim_id?: string };
  "/payer-requests": Filters<"listPayerRequests">;
  "/remittances": Omit<Filters<"listERAs">, "state"> & {
    state?: Filters<"listERAs">["state"] | "any";
  };
  "/remittances/quarantine": Filters<"listQuarantine">;
  "/deposits": Omit<Filters<"listDeposits">, "state"> & {
    state?: Filters<"listDeposits">["state"] | "any";
  };
  "/reports": ReportFilters<"getAgingReport">;
  "/reports/collections": ReportFilters<"getCollectionsReport">;
  "/reports/denials": ReportFilters<"getDenialsReport">;
  "/reports/payers": ReportFilters<"getPayersReport">;
  "/developers/events": Filters<"listEvents">;
  "/developers/deliveries": Filters<"findWebhookDeliveries">;
  "/developers/requests": Filters<"listRequests">;
  "/developers/webhooks": { failing?: boolean };
  "/settings/fees": Pick<Filters<"listFeeSchedules">, "kind" | "current">;
  "/settings/attachment-rules": Filters<"listAttachmentRules"> & { claim_id?: string }; // a denied claim to make a rule of
  "/settings/audit": Filters<"listAuditEntries">;
};

/** Searched is a screen with search parameters. */
export type Searched = keyof Searches;

/** Search are the search parameters of a path; a path outside Searches has none. */
export type Search<P> = P extends Searched ? Searches[P] : undefined;

/** Form is how an address writes a value of a type. */
type Form<T> = T extends readonly unknown[]
  ? "list"
  : T extends boolean
    ? "flag"
    : T extends number
      ? "number"
      : "text";

type Forms<S> = { [K in keyof S]-?: Form<NonNullable<S[K]>> };

/** ofFigures are the filters of claims that reports need. */
const ofFigures = {
  provider_id: "text",
  sent: "flag",
  decided: "flag",
  decided_from: "text",
  decided_to: "text",
  first_pass: "flag",
  last_payer: "flag",
  figure: "text",
  denial: "text",
  act: "text",
} as const;

const ofReports = { office_id: "text", payer_id: "text", provider_id: "text" } as const;

const created = { created_after: "text", created_before: "text" } as const;

/** forms has each search parameter of each screen. A filter that the contract adds or renames does not compile without
 *  its row here. */
const forms: { [P in Searched]: Forms<Searches[P]> } = {
  "/": { state: "text", kind: "list", assignee: "text", office_id: "text", payer_id: "text" },
  "/claims": {
    ...created,
    kind: "text",
    state: "list",
    office_id: "text",
    payer_id: "text",
    sent_from: "text",
    sent_to: "text",
    service_from: "text",
    service_to: "text",
    patient_id: "text",
    batch_id: "text",
    request_id: "text",
    patient_control_number: "text",
    open: "flag",
    overpaid: "flag",
    payment_changed: "flag",
    ...ofFigures,
    order: "text",
    sort: "text",
  },
  "/claims/new": { patient_id: "text", check_id: "text", estimate_id: "text" },
  "/eligibility": {
    ...created,
    patient_id: "text",
    batch_id: "text",
    request_id: "text",
    office_id: "text",
    payer_id: "text",
    outcome: "text",
    tenant_reference: "text",
  },
  "/eligibility/new": { again: "text", patient_id: "text" },
  "/schedule/$id": { outcome: "text", needs_a_person: "flag" },
  "/estimates/new": { check_id: "text", again: "text" },
  "/attachments": {
    ...created,
    claim_id: "text",
    patient_id: "text",
    payer_request_id: "text",
    request_id: "text",
    state: "text",
    office_id: "text",
    order: "text",
  },
  "/attachments/new": { claim_id: "text" },
  "/payer-requests": {
    state: "text",
    claim_id: "text",
    patient_id: "text",
    payer_id: "text",
    due_before: "text",
  },
  "/remittances": {
    state: "text",
    needs_attention: "flag",
    balanced: "flag",
    unapplied: "text",
    payer_id: "text",
    office_id: "text",
    claim_id: "text",
    patient_id: "text",
    trace_number: "text",
    paid_from: "text",
    paid_to: "text",
    received_from: "text",
    received_to: "text",
    order: "text",
    sort: "text",
  },
  "/remittances/quarantine": { order: "text" },
  "/deposits": {
    state: "text",
    account: "text",
    method: "text",
    from: "text",
    to: "text",
    amount: "text",
    trace_number: "text",
    era_id: "text",
  },
  "/reports": { by: "text", group_by: "text", ...ofReports },
  "/reports/collections": { by: "text", from: "text", to: "text", group_by: "text", ...ofReports },
  "/reports/denials": { by: "text", from: "text", to: "text", ...ofReports },
  "/reports/payers": { by: "text", from: "text", to: "text", ...ofReports },
  "/developers/events": {
    ...created,
    type: "list",
    resource_id: "text",
    order: "text",
    after: "text",
  },
  "/developers/deliveries": {
    ...created,
    state: "text",
    endpoint_id: "text",
    event_id: "text",
    event_type: "text",
  },
  "/developers/requests": {
    ...created,
    key_id: "text",
    operation: "text",
    status: "number",
    error: "text",
    resource_id: "text",
  },
  "/developers/webhooks": { failing: "flag" },
  "/settings/fees": { kind: "text", current: "flag" },
  "/settings/attachment-rules": { payer_id: "text", claim_id: "text" },
  "/settings/audit": {
    ...created,
    actor: "text",
    user_id: "text",
    key_id: "text",
    patient_id: "text",
    background: "flag",
    changes: "flag",
    resource_id: "text",
  },
};

const readers: Record<string, (values: string[]) => unknown> = {
  text: ([first]) => first,
  list: (values) => (values.length > 0 ? values : undefined),
  number: ([first]) =>
    first !== undefined && Number.isFinite(Number(first)) ? Number(first) : undefined,
  flag: ([first]) => ({ true: true, false: false })[first ?? ""],
};

/** readSearch returns what a screen knows of a search, each value in its form. The service judges the values. */
export function readSearch<P extends Searched>(
  path: P,
  search: Record<string, unknown>,
): Searches[P] {
  const read: Record<string, unknown> = {};
  for (const [name, form] of Object.entries<string>(forms[path] ?? {})) {
    const values = [search[name] ?? []].flat().map(String).filter(Boolean);
    const value = readers[form]?.(values);
    if (value !== undefined) read[name] = value;
  }
  return read as Searches[P];
}

/** parse returns the search parameters of an address as texts, and lists of texts. */
export function parse(search: string): Record<string, string | string[]> {
  const params = new URLSearchParams(search);
  const parsed: Record<string, string | string[]> = {};
  for (const name of new Set(params.keys())) {
    const [first = "", ...more] = params.getAll(name);
    parsed[name] = more.length > 0 ? [first, ...more] : first;
  }
  return parsed;
}

/** format returns search parameters as an address has them: a list is a repeated name, as in the API. */
export function format(search: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value ?? []].flat()) params.append(name, String(one));
  }
  return params.size > 0 ? `?${params}` : "";
}
