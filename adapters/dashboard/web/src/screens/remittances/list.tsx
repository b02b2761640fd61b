// The list of remittances: what a biller has to finish comes first.

import { Filter } from "lucide-react";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format, type Searches } from "../../api/searches";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../ui/button";
import { DayFilter, SelectField, TextField } from "../../ui/form";
import { Day, Money, printable, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { PayerFilter } from "../../ui/payer-filter";
import { useMany } from "../../ui/selection";
import { type Column, List, paged, rowsOf } from "../../ui/table";
import { useAssignTasks } from "../today/many";
import { Import } from "./import";
import { named, remittanceActs } from "./many";
import { methodLabel, Progress, Standing } from "./standing";
import "./remittances.css";

type Filters = Searches["/remittances"];
type Summary = Schemas["ERASummary"];

/** tabs are the steps of a remittance. Each has the filters of the API that show it; any is every state. */
const tabs = [
  {
    name: "To finish",
    state: "needs_review",
    needs_attention: true,
    title: "Nothing to finish",
    empty: "Remittances whose claims need a decision, or whose amounts do not add up, appear here.",
  },
  {
    name: "Ready to post",
    state: "needs_review",
    needs_attention: false,
    title: "Nothing to post",
    empty: "A remittance appears here when every claim is finished and all amounts add up.",
  },
  {
    name: "Posted",
    state: "posted",
    needs_attention: undefined,
    title: "Nothing is posted yet",
    empty: "Remittances appear here when you post them.",
  },
  {
    name: "All",
    state: "any",
    needs_attention: undefined,
    title: "No remittances yet",
    empty: "A remittance arrives when a payer pays a claim that you sent.",
  },
] as const;

/** everything has no filter that narrows a list. */
const everything = {
  payer_id: undefined,
  office_id: undefined,
  trace_number: undefined,
  claim_id: undefined,
  balanced: undefined,
  unapplied: undefined,
  paid_from: undefined,
  paid_to: undefined,
  received_from: undefined,
  received_to: undefined,
} satisfies Filters;

export function RemittanceList() {
  const [filters, set] = useFilters("/remittances");
  const narrowed = Object.keys(everything).some((f) => f in filters);
  const [narrow, setNarrow] = useState(narrowed);
  const chosen = choice(filters, narrowed);
  const tab = tabs.find(
    (t) => t.state === chosen.state && t.needs_attention === chosen.needs_attention,
  );
  const { state } = chosen;
  const query = { ...filters, ...chosen, state: state === "any" ? undefined : state };
  const change = (f: Filters) => set({ ...chosen, ...f });
  const may = useMay();
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const eras = api.useInfiniteQuery(
    "get",
    "/eras",
    { params: { query: { ...query, limit: 50 } } },
    paged,
  );
  const assign = useAssignTasks<Summary>();
  const many = useMany(rowsOf(eras), {
    id: (e) => e.id,
    name: named,
    amount: (e) => e.payment.total,
    acts: [...remittanceActs, assign],
    more: () => {
      if (eras.hasNextPage) void eras.fetchNextPage();
    },
  });
  return (
    <Page
      title="Remittances"
      list={`/eras${format(query)}`}
      actions={
        <>
          <ButtonLink to="/remittances/quarantine">Quarantine</ButtonLink>
          {may.write && <Import />}
        </>
      }
    >
      <Section flush>
        <div className="tabs-row">
          <nav className="tabs" aria-label="Steps">
            {tabs.map((t) => (
              <Go
                key={t.name}
                to="/remittances"
                search={{ ...filters, state: t.state, needs_attention: t.needs_attention }}
                replace
                className="tab"
                aria-current={t === tab ? "page" : undefined}
              >
                {t.name}
              </Go>
            ))}
          </nav>
          <Button
            look="quiet"
            icon={<Filter size={16} aria-hidden />}
            aria-expanded={narrow}
            onClick={() => setNarrow(!narrow)}
          >
            Filters
          </Button>
        </div>
        {narrow && <Narrow filters={filters} set={change} offices={offices.data?.data ?? []} />}
        <List
          of={eras}
          many={many}
          caption="Remittances"
          id={(e) => e.id}
          to={(e) => `/remittances/${e.id}`}
          order={{
            by: filters.sort ?? "received",
            ascending: filters.order === "asc",
            choose: (by, ascending) =>
              set({ sort: by as Filters["sort"], order: ascending ? "asc" : undefined }),
          }}
          columns={columns(
            (offices.data?.data.length ?? 0) > 1
              ? new Map(offices.data?.data.map((o) => [o.id, o.name]))
              : new Map(),
          )}
          empty={
            narrowed ? (
              <Empty
                title="No remittance matches"
                action={
                  <Go to="/remittances" search={{ state: "any" }} className="button">
                    Show all remittances
                  </Go>
                }
              >
                Try another tab, or fewer filters.
              </Empty>
            ) : (
              <Empty
                title={tab?.title ?? "No remittance matches"}
                action={
                  tab?.name !== "All" && (
                    <Go to="/remittances" search={{ state: "any" }} className="button">
                      Show all remittances
                    </Go>
                  )
                }
              >
                {tab?.empty}
              </Empty>
            )
          }
        />
      </Section>
    </Page>
  );
}

/** choice returns the state that the list shows: what is to finish, unless the address says more. */
function choice(
  { state, needs_attention }: Filters,
  narrowed: boolean,
): Pick<Filters, "state" | "needs_attention"> {
  if (state !== undefined) return { state, needs_attention };
  if (narrowed || needs_attention !== undefined) {
    return { state: "any", needs_attention };
  }
  return { state: "needs_review", needs_attention: true };
}

/** Narrow holds the filters that are used less often. */
function Narrow({
  filters,
  set,
  offices,
}: {
  filters: Filters;
  set: (f: Filters) => void;
  offices: Schemas["Office"][];
}) {
  const [trace, setTrace] = useState(filters.trace_number ?? "");
  const enter = () => set({ trace_number: trace.trim() || undefined });
  return (
    <div className="filters">
      <PayerFilter id={filters.payer_id} set={(payer_id) => set({ payer_id })} />
      <form
        onSubmit={(e) => {
          e.preventDefault();
          enter();
        }}
      >
        <TextField
          label="Check or EFT number"
          value={trace}
          onChange={setTrace}
          onBlur={enter}
          maxLength={50}
          autoComplete="off"
        />
      </form>
      <SelectField
        label="Office"
        value={filters.office_id ?? ""}
        onChange={(v) => set({ office_id: v || undefined })}
        options={[["", "All offices"], ...offices.map((o) => [o.id, o.name] as const)]}
      />
      <SelectField
        label="Order"
        value={filters.sort ?? "received"}
        onChange={(v) => set({ sort: v as Filters["sort"], order: undefined })}
        options={[
          ["received", "Last received first"],
          ["date", "Last payment first"],
          ["total", "Highest payment first"],
        ]}
      />
      <SelectField
        label="Money on no claim"
        value={filters.unapplied ?? ""}
        onChange={(v) => set({ unapplied: (v || undefined) as Filters["unapplied"] })}
        options={[
          ["", "Any"],
          ["ignored", "With ignored claims"],
          ["unfinished", "With unfinished claims"],
        ]}
      />
      <DayFilter
        label="Paid from"
        value={filters.paid_from ?? ""}
        onChange={(v) => set({ paid_from: v || undefined })}
      />
      <DayFilter
        label="Paid to"
        value={filters.paid_to ?? ""}
        onChange={(v) => set({ paid_to: v || undefined })}
      />
      <Button
        look="quiet"
        onClick={() => {
          setTrace("");
          set(everything);
        }}
      >
        Clear
      </Button>
    </div>
  );
}

const columns = (offices: Map<string, string>): Column<Summary>[] => [
  {
    head: "Payer",
    cell: (e) => (
      <>
        {printable(e.payer?.name ?? e.payer_name)}
        {e.office_id && offices.has(e.office_id) && (
          <span className="sub">{offices.get(e.office_id)}</span>
        )}
      </>
    ),
  },
  { head: "State", cell: (e) => <Standing era={e} /> },
  {
    head: "Payment",
    cell: (e) => (
      <div className="trace">
        {methodLabel(e.payment.method)}
        <span className="sub numbers" title={printable(e.payment.trace_number)}>
          {printable(e.payment.trace_number)}
        </span>
      </div>
    ),
  },
  { head: "Date", sort: "date", cell: (e) => <Day value={e.payment.date} /> },
  {
    head: "Amount",
    right: true,
    sort: "total",
    sum: (e) => e.payment.total,
    cell: (e) => (
      <div>
        <Money value={e.payment.total} strong />
        {!e.balanced && <span className="sub off">does not add up</span>}
      </div>
    ),
  },
  { head: "Claims", cell: (e) => <Progress era={e} /> },
  { head: "Received", wide: true, sort: "received", cell: (e) => <When value={e.received_at} /> },
];
