// The list of remittances: what a biller has to finish comes first.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Filter } from "lucide-react";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { address, type Filters, one, useFilters } from "../../api/filters";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../ui/button";
import { CopyAsCurl } from "../../ui/copy";
import { DateField, SelectField, TextField } from "../../ui/form";
import { Day, Money, printable, When } from "../../ui/format";
import { Empty, Page, Section } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { type Column, List, paged } from "../../ui/table";
import { Import } from "./import";
import { methodLabel, Progress, Standing } from "./standing";
import "./remittances.css";

type Summary = Schemas["ERASummary"];

/** tabs are the steps of a remittance. Each has the filters of the API that show it; any is every state. */
const tabs = [
  {
    name: "To finish",
    state: "needs_review",
    needs_attention: "true",
    title: "Nothing to finish",
    empty: "Payments whose claims need a decision, or whose amounts do not add up, come here.",
  },
  {
    name: "Ready to post",
    state: "needs_review",
    needs_attention: "false",
    title: "Nothing to post",
    empty: "A payment comes here when every claim is finished and all amounts add up.",
  },
  {
    name: "Posted",
    state: "posted",
    needs_attention: undefined,
    title: "Nothing is posted yet",
    empty: "Payments come here when you post them.",
  },
  {
    name: "All",
    state: "any",
    needs_attention: undefined,
    title: "No remittances yet",
    empty: "A remittance arrives when a payer pays a claim that you sent.",
  },
] as const;

const narrowing = [
  "payer_id",
  "office_id",
  "trace_number",
  "claim_id",
  "balanced",
  "paid_from",
  "paid_to",
  "received_from",
  "received_to",
];

export function RemittanceList() {
  const [filters, set] = useFilters();
  const narrowed = narrowing.some((f) => filters[f]);
  const [narrow, setNarrow] = useState(narrowed);
  const chosen = {
    state: one(filters.state) ?? (filters.needs_attention || narrowed ? "any" : "needs_review"),
    needs_attention:
      one(filters.needs_attention) ?? (filters.state || narrowed ? undefined : "true"),
  };
  const tab = tabs.find(
    (t) => t.state === chosen.state && t.needs_attention === chosen.needs_attention,
  );
  const query = { ...filters, ...chosen, state: chosen.state === "any" ? undefined : chosen.state };
  const change = (f: Filters) => set({ ...chosen, ...f });
  const may = useMay();
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const eras = api.useInfiniteQuery(
    "get",
    "/eras",
    { params: { query: { ...query, limit: 50 } as never } },
    paged,
  );
  return (
    <Page
      title="Remittances"
      actions={
        <>
          <CopyAsCurl path={address("/eras", query)} />
          <ButtonLink to="/remittances/quarantine">Quarantine</ButtonLink>
          {may.write && <Import />}
        </>
      }
    >
      <Section flush>
        <div className="tabs-row">
          <nav className="tabs" aria-label="Steps">
            {tabs.map((t) => (
              <Link
                key={t.name}
                to="."
                search={{ ...filters, state: t.state, needs_attention: t.needs_attention } as never}
                replace
                className="tab"
                aria-current={t === tab ? "page" : undefined}
              >
                {t.name}
              </Link>
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
          caption="Remittances"
          id={(e) => e.id}
          to={(e) => `/remittances/${e.id}`}
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
                  <Link to="." search={{ state: "any" } as never} className="button">
                    Show all remittances
                  </Link>
                }
              >
                Try another tab, or fewer filters.
              </Empty>
            ) : (
              <Empty
                title={tab?.title ?? "No remittance matches"}
                action={
                  tab?.name !== "All" && (
                    <Link to="." search={{ state: "any" } as never} className="button">
                      Show all remittances
                    </Link>
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
  const [trace, setTrace] = useState(one(filters.trace_number) ?? "");
  const enter = () => set({ trace_number: trace.trim() || undefined });
  return (
    <div className="filters">
      <Payer id={one(filters.payer_id)} set={(payer) => set({ payer_id: payer?.id })} />
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
        value={one(filters.office_id) ?? ""}
        onChange={(v) => set({ office_id: v || undefined })}
        options={[["", "All offices"], ...offices.map((o) => [o.id, o.name] as const)]}
      />
      <DateField
        label="Paid from"
        value={one(filters.paid_from) ?? ""}
        onChange={(v) => set({ paid_from: v || undefined })}
      />
      <DateField
        label="Paid to"
        value={one(filters.paid_to) ?? ""}
        onChange={(v) => set({ paid_to: v || undefined })}
      />
      <Button
        look="quiet"
        onClick={() => {
          setTrace("");
          set(Object.fromEntries(narrowing.map((f) => [f, undefined])));
        }}
      >
        Clear
      </Button>
    </div>
  );
}

/** Payer is the filter by payer. The address has its ID; the field shows its name. */
function Payer({ id, set }: { id: string | undefined; set: (payer: PickedPayer | null) => void }) {
  const { fetch } = useClient();
  const payer = useQuery({
    queryKey: ["get", "/payers/{id}", id],
    enabled: id !== undefined,
    queryFn: async ({ signal }) => {
      const { data, error } = await fetch.GET("/payers/{id}", {
        params: { path: { id: id! } },
        signal,
      });
      if (error) throw error;
      return data;
    },
  });
  return <PayerPicker label="Payer" value={id ? (payer.data ?? null) : null} onChange={set} />;
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
  { head: "Date", cell: (e) => <Day value={e.payment.date} /> },
  {
    head: "Amount",
    right: true,
    cell: (e) => (
      <div>
        <Money value={e.payment.total} strong />
        {!e.balanced && <span className="sub off">does not add up</span>}
      </div>
    ),
  },
  { head: "Claims", cell: (e) => <Progress era={e} /> },
  { head: "Received", wide: true, cell: (e) => <When value={e.received_at} /> },
];
