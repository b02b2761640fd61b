// The list of claims: tabs by state with counts, filters in the address, and a
// search whose text stays out of it.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { FilePlus2, Filter, Search, X } from "lucide-react";
import { Suspense, useDeferredValue, useEffect, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format, type Searches } from "../../api/searches";
import { useMay } from "../../api/session";
import { keepSearched, searchedOn } from "../../api/trail";
import { later } from "../../shell/load";
import { Button, ButtonLink } from "../../ui/button";
import { acts } from "../../ui/codes";
import { DayFilter, SelectField } from "../../ui/form";
import {
  Days,
  dateIn,
  day,
  daysAfter,
  Money,
  midnight,
  name,
  useZone,
  When,
} from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Notice, Page, Read, Section } from "../../ui/page";
import { useEntry } from "../../ui/rows";
import { useMany } from "../../ui/selection";
import { State } from "../../ui/state";
import { type Column, List, paged, rowsOf, Table } from "../../ui/table";
import { useAssignTasks } from "../today/many";
import { claimActs, named } from "./many";

type Summary = Schemas["ClaimSummary"];
type ClaimState = Schemas["ClaimState"];
type Filters = Searches["/claims"];

/** tabs are the parts of a biller's day, each with the states that it shows. */
const tabs: { name: string; states: ClaimState[] }[] = [
  { name: "All", states: [] },
  { name: "Drafts", states: ["draft"] },
  { name: "Needs attention", states: ["needs_attention"] },
  { name: "Rejected", states: ["rejected"] },
  { name: "Ready to send", states: ["validated"] },
  { name: "Sent", states: ["queued", "submitted", "accepted_clearinghouse", "accepted_payer"] },
  { name: "Estimates", states: ["returned"] },
  { name: "Paid", states: ["paid"] },
  { name: "Denied", states: ["denied"] },
  { name: "Reconciled", states: ["reconciled"] },
  { name: "Voided", states: ["voided"] },
];

export function ClaimList() {
  const may = useMay();
  const [filters, set] = useFilters("/claims");
  const entry = useEntry();
  const [text, setText] = useState(() => searchedOn(entry));
  // What was searched for is there again on the way back, and in no address.
  useEffect(() => keepSearched(entry, text), [entry, text]);
  const [narrow, setNarrow] = useState(
    Object.keys(filters).some((f) => !["state", "kind", "order", "sort", ...chips].includes(f)),
  );
  const query = useDeferredValue(text.trim());
  const { kind = "claim" } = filters;
  return (
    <Page
      title={kind === "claim" ? "Claims" : "Predeterminations"}
      list={`/claims${format({ kind, ...filters })}`}
      actions={
        may.write && (
          <ButtonLink look="primary" icon={<FilePlus2 size={16} aria-hidden />} to="/claims/new">
            New claim
          </ButtonLink>
        )
      }
    >
      <Section flush>
        <div className="filters">
          <div className="field search-field">
            <label htmlFor="claim-search" className="only-read">
              Search claims
            </label>
            <Search size={16} aria-hidden />
            <input
              id="claim-search"
              type="search"
              className="input"
              placeholder="Patient, date of birth, member ID or control number"
              value={text}
              onChange={(e) => setText(e.target.value)}
              autoComplete="off"
            />
          </div>
          <SelectField
            label="Kind"
            hideLabel
            value={kind}
            onChange={(v) =>
              set({ kind: v === "predetermination" ? v : undefined, state: undefined })
            }
            options={[
              ["claim", "Claims"],
              ["predetermination", "Predeterminations"],
            ]}
          />
          <Button
            icon={<Filter size={16} aria-hidden />}
            aria-expanded={narrow}
            onClick={() => setNarrow(!narrow)}
          >
            Filters
          </Button>
        </div>
        {narrow && <Narrow filters={filters} set={set} />}
        {chips.some((f) => f in filters) && <Of filters={filters} set={set} />}
        {query.length >= 2 ? <Found query={query} /> : <Tabbed filters={filters} kind={kind} />}
      </Section>
    </Page>
  );
}

/** Narrow holds the filters that are used less often. */
function Narrow({ filters, set }: { filters: Filters; set: (f: Filters) => void }) {
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const zone = useZone();
  const { sent_from: since, sent_to: before } = filters;
  const date = (label: string, key: "service_from" | "service_to") => (
    <DayFilter
      label={label}
      value={filters[key] ?? ""}
      onChange={(v) => set({ [key]: v || undefined })}
    />
  );
  return (
    <div className="filters">
      <SelectField
        label="Office"
        value={filters.office_id ?? ""}
        onChange={(v) => set({ office_id: v || undefined })}
        options={[
          ["", "All offices"],
          ...(offices.data?.data ?? []).map((o) => [o.id, o.name] as const),
        ]}
      />
      <Suspense>
        <PayerFilter id={filters.payer_id} accepts="claims" set={(payer_id) => set({ payer_id })} />
      </Suspense>
      <SelectField
        label="Order"
        value={filters.sort ?? "created"}
        onChange={(v) => set({ sort: v as Filters["sort"], order: undefined })}
        options={[
          ["created", "Newest first"],
          ["service_date", "Last service first"],
          ["charge", "Highest charge first"],
          ["open", "Most open first"],
        ]}
      />
      {date("Service from", "service_from")}
      {date("Service to", "service_to")}
      <DayFilter
        label="Sent from"
        value={since ? dateIn(zone, new Date(since)) : ""}
        onChange={(v) => set({ sent_from: v ? midnight(v, zone) : undefined })}
      />
      <DayFilter
        label="Sent to"
        value={before ? dateIn(zone, new Date(Date.parse(before) - 1)) : ""}
        onChange={(v) => set({ sent_to: v ? midnight(daysAfter(v, 1), zone) : undefined })}
      />
      <Button
        look="quiet"
        onClick={() =>
          set({
            office_id: undefined,
            payer_id: undefined,
            patient_id: undefined,
            batch_id: undefined,
            request_id: undefined,
            service_from: undefined,
            service_to: undefined,
            sent_from: undefined,
            sent_to: undefined,
            created_after: undefined,
            created_before: undefined,
          })
        }
      >
        Clear
      </Button>
    </div>
  );
}

const PayerFilter = later(() => import("../../ui/payer-filter").then((m) => m.PayerFilter));

/** chips are the filters that a list shows as such: another screen leads here with them. */
const chips = [
  "patient_id",
  "batch_id",
  "open",
  "overpaid",
  "payment_changed",
  "provider_id",
  "sent",
  "decided",
  "decided_from",
  "decided_to",
  "first_pass",
  "last_payer",
  "figure",
  "denial",
  "act",
] as const;

/** figures are the amounts of a claim that reports add up. */
const figures = {
  open: "an open amount",
  patient_owes: "an amount that the patient owes",
  paid: "a payment",
  contractual: "a contract's discount",
  write_off: "a write-off",
  bill_patient: "an amount billed to the patient",
  other: "another accepted amount",
  refused: "an amount that a payer refuses",
} as const;

/** Of says what the list is of, and leads to the whole list. */
function Of({ filters, set }: { filters: Filters; set: (f: Filters) => void }) {
  const { api } = useClient();
  const { patient_id: patient, batch_id: file, provider_id: provider } = filters;
  const dentist = api.useQuery(
    "get",
    "/providers/{id}",
    { params: { path: { id: provider ?? "" } } },
    { enabled: provider !== undefined && provider !== "none" },
  );
  const person = api.useQuery(
    "get",
    "/patients/{id}",
    { params: { path: { id: patient ?? "" } } },
    { enabled: patient !== undefined },
  );
  const batch = api.useQuery(
    "get",
    "/batches/{id}",
    { params: { path: { id: file ?? "" } } },
    { enabled: file !== undefined },
  );
  const says = {
    patient_id: [
      person.data ? `Claims of ${name(person.data)}` : "Claims of one patient",
      "Show the claims of all patients",
    ],
    batch_id: [
      batch.data ? `In the file ${batch.data.name}` : "Claims in one file",
      "Show the claims of all files",
    ],
    open: ["With an open amount", "Show the claims with nothing open too"],
    overpaid: ["Overpaid", "Show the claims that are not overpaid too"],
    payment_changed: ["Payment taken back or changed", "Show the claims with other payments too"],
    provider_id: [
      provider === "none"
        ? "Without a provider"
        : `Of ${dentist.data ? name(dentist.data) : "one provider"}`,
      "Show the claims of all providers",
    ],
    sent: [
      filters.sent ? "Sent" : "Not sent",
      "Show the claims that were sent and those that were not",
    ],
    decided: [filters.decided ? "Decided" : "Not decided", "Show decided claims and the others"],
    decided_from: [
      `Decided from ${day(filters.decided_from ?? "")}`,
      "Show the claims that were decided before, too",
    ],
    decided_to: [
      `Decided to ${day(filters.decided_to ?? "")}`,
      "Show the claims that were decided later, too",
    ],
    first_pass: [
      filters.first_pass ? "Passed the first time" : "Not passed the first time",
      "Show the claims that passed the first time and the others",
    ],
    last_payer: ["To the last payer", "Show the claims to earlier payers too"],
    figure: [
      `With ${figures[filters.figure ?? "open"]}`,
      "Show the claims without such an amount too",
    ],
    denial: [`Refused for ${filters.denial}`, "Show the claims with other refusals too"],
    act: [
      `To do: ${acts[filters.act ?? "none"]}`,
      "Show the claims with something else to do, too",
    ],
  } as const;
  return (
    <div className="filters">
      {chips
        .filter((f) => f in filters)
        .map((f) => (
          <span key={f} className="chip">
            {says[f][0]}
            <button
              type="button"
              className="icon-button"
              aria-label={says[f][1]}
              onClick={() => set({ [f]: undefined })}
            >
              <X size={14} aria-hidden />
            </button>
          </span>
        ))}
    </div>
  );
}

function Tabbed({ filters, kind }: { filters: Filters; kind: Schemas["ClaimKind"] }) {
  const { api } = useClient();
  const may = useMay();
  const [, set] = useFilters("/claims");
  const { state: chosen = [], order, sort, ...rest } = filters;
  const claims = api.useInfiniteQuery(
    "get",
    "/claims",
    {
      params: {
        query: {
          ...rest,
          kind,
          order,
          sort,
          state: chosen.length > 0 ? chosen : undefined,
          limit: 50,
        },
      },
    },
    paged,
  );
  const counts = api.useQuery("get", "/claims/counts", { params: { query: { ...rest, kind } } });
  const filtered = Object.keys(rest).some((f) => f !== "kind");
  const many = useManyClaims(rowsOf(claims), () => {
    if (claims.hasNextPage) void claims.fetchNextPage();
  });
  return (
    <>
      <nav className="tabs" aria-label="States">
        {tabs
          .filter((t) =>
            kind === "predetermination"
              ? !["Denied", "Paid", "Reconciled"].includes(t.name)
              : t.name !== "Estimates",
          )
          .map((t) => {
            const current =
              t.states.length === chosen.length && t.states.every((s) => chosen.includes(s));
            return (
              <Go
                key={t.name}
                to="/claims"
                search={{ ...filters, state: t.states.length > 0 ? t.states : undefined }}
                replace
                className="tab"
                aria-current={current ? "page" : undefined}
              >
                {t.name}
                {t.states.length > 0 && counts.data && (
                  <Count of={counts.data.counts} states={t.states} />
                )}
              </Go>
            );
          })}
      </nav>
      <List
        of={claims}
        many={many}
        caption="Claims"
        id={(c) => c.id}
        to={(c) => `/claims/${c.id}`}
        columns={columns}
        order={{
          by: sort ?? "created",
          ascending: order === "asc",
          choose: (by, ascending) =>
            set({ sort: by as Filters["sort"], order: ascending ? "asc" : undefined }),
        }}
        empty={
          filtered || chosen.length > 0 ? (
            <Empty
              title="No claim matches"
              action={
                <Go to="/claims" className="button">
                  Show all claims
                </Go>
              }
            >
              Try another tab, or fewer filters.
            </Empty>
          ) : (
            <Empty
              title="No claims yet"
              action={
                may.write && (
                  <ButtonLink look="primary" to="/claims/new">
                    Make the first claim
                  </ButtonLink>
                )
              }
            >
              Make the first one here, or let your practice software send it with POST /claims.
            </Empty>
          )
        }
      />
    </>
  );
}

function Count({ of, states }: { of: Schemas["ClaimCounts"]["counts"]; states: ClaimState[] }) {
  const all = states.map(
    (s) => (of as Record<string, { count: number; more: boolean } | undefined>)[s],
  );
  const sum = all.reduce((n, c) => n + (c?.count ?? 0), 0);
  return (
    <span className="count">
      {sum.toLocaleString("en-US")}
      {all.some((c) => c?.more) && "+"}
    </span>
  );
}

/** Found shows what a search finds. */
function Found({ query }: { query: string }) {
  const { fetch } = useClient();
  const found = useQuery({
    queryKey: ["post", "/claims/search", query],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data, error } = await fetch.POST("/claims/search", {
        body: { query, limit: 50 },
        signal,
      });
      if (error) throw error;
      return data;
    },
  });
  const many = useManyClaims(found.data?.data ?? []);
  if (!found.data)
    return (
      <Read of={found} rows={8}>
        {() => null}
      </Read>
    );
  if (found.data.data.length === 0)
    return (
      <Empty title="Nothing found">
        Enter the beginning of each word of a name, a whole date of birth, or the first three
        characters of a member ID or a control number.
      </Empty>
    );
  return (
    <>
      {found.data.truncated && (
        <Notice tone="warn">
          More patients or claims match than are shown. Enter more of the name or number, or a date
          of birth.
        </Notice>
      )}
      <Table
        caption="Claims found"
        rows={found.data.data}
        id={(c) => c.id}
        to={(c) => `/claims/${c.id}`}
        columns={columns}
        dense
        select={many.select}
        table={many.table}
        opens={many.opens}
      />
      {many.bar}
    </>
  );
}

/** useManyClaims lets claims be selected. */
function useManyClaims(rows: Summary[], more?: () => void) {
  const assign = useAssignTasks<Summary>();
  return useMany(rows, {
    id: (c) => c.id,
    name: named,
    amount: (c) => c.totals.charge,
    acts: [...claimActs, assign],
    more,
  });
}

const paid = (c: Summary) => c.payment?.paid ?? c.estimate?.pay;
const owes = (c: Summary) => c.payment?.patient_responsibility ?? c.estimate?.patient;

const columns: Column<Summary>[] = [
  {
    head: "Patient",
    cell: (c) => name(c.patient_name),
  },
  { head: "State", cell: (c) => <State value={c.state} /> },
  {
    head: "Payer",
    cell: (c) => (
      <>
        {c.payer.name}
        {c.coverage !== "primary" && <span className="sub">{c.coverage}</span>}
      </>
    ),
  },
  {
    head: "Service",
    sort: "service_date",
    cell: (c) => <Days from={c.service_dates.first} to={c.service_dates.last} />,
  },
  {
    head: "Charge",
    right: true,
    sort: "charge",
    cell: (c) => <Money value={c.totals.charge} />,
    sum: (c) => c.totals.charge,
  },
  {
    head: "Paid",
    right: true,
    cell: (c) => <Money value={paid(c)} />,
    sum: paid,
  },
  {
    head: "Patient owes",
    right: true,
    cell: (c) => <Money value={owes(c)} />,
    sum: owes,
  },
  {
    head: "Open",
    right: true,
    wide: true,
    sort: "open",
    cell: (c) => <Money value={c.open === "0.00" ? null : c.open} />,
    sum: (c) => c.open,
  },
  { head: "Changed", wide: true, cell: (c) => <When value={c.updated_at} /> },
];
