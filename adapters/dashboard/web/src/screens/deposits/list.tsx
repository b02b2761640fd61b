// The deposits of the bank: those that no remittance explains yet come first.
import { useState } from "react";
import { useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format, type Searches } from "../../api/searches";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { DayFilter, SelectField, TextField } from "../../ui/form";
import { Go } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { paged } from "../../ui/table";
import { Import } from "./import";
import { Deposits, methods } from "./table";

type Filters = Searches["/deposits"];

/** views are the states of deposits; any is all of them. */
const views = [
  ["To match", "unmatched", "Nothing to match", "Money that says it pays claims waits here."],
  ["Matched", "matched", "Nothing is matched yet", "Deposits that remittances explain are here."],
  ["Other", "other", "Nothing else arrived", "Deposits that are not about claims are here."],
  ["Returned", "returned", "Nothing was returned", "Deposits that the bank took back are here."],
  ["All", "any", "No deposits yet", "Import the file of your bank: NACHA, BAI2 or CSV."],
] as const;

/** everything has no filter that narrows the list. */
const everything = {
  account: undefined,
  method: undefined,
  from: undefined,
  to: undefined,
  amount: undefined,
  trace_number: undefined,
  era_id: undefined,
} satisfies Filters;

export function DepositList() {
  const [filters, set] = useFilters("/deposits");
  const { api } = useClient();
  const may = useMay();
  const narrowed = Object.keys(everything).some((f) => f in filters);
  const { state = narrowed ? "any" : "unmatched" } = filters;
  const query = { ...filters, state: state === "any" ? undefined : state };
  const deposits = api.useInfiniteQuery(
    "get",
    "/deposits",
    { params: { query: { ...query, limit: 50 } } },
    paged,
  );
  const [, , title, says] = views.find((t) => t[1] === state) ?? views[4];
  return (
    <Page title="Deposits" list={`/deposits${format(query)}`} actions={may.write && <Import />}>
      <Section flush>
        <nav className="tabs" aria-label="States">
          {views.map(([name, s]) => (
            <Go
              key={s}
              to="/deposits"
              search={{ ...filters, state: s }}
              replace
              className="tab"
              aria-current={s === state ? "page" : undefined}
            >
              {name}
            </Go>
          ))}
        </nav>
        <Narrow filters={filters} set={(f) => set({ state, ...f })} />
        <Deposits
          of={deposits}
          empty={
            narrowed ? (
              <Empty title="No deposit matches">Try another tab, or fewer filters.</Empty>
            ) : (
              <Empty title={title}>{says}</Empty>
            )
          }
        />
      </Section>
    </Page>
  );
}

/** Narrow holds the filters. */
function Narrow({ filters, set }: { filters: Filters; set: (f: Filters) => void }) {
  const [account, setAccount] = useState(filters.account ?? "");
  return (
    <div className="filters">
      <TextField
        label="Account (last four digits)"
        value={account}
        onChange={(v) => {
          setAccount(v);
          if (v === "" || /^\d{4}$/.test(v)) set({ account: v || undefined });
        }}
        inputMode="numeric"
        maxLength={4}
        autoComplete="off"
      />
      <SelectField
        label="Method"
        value={filters.method ?? ""}
        onChange={(v) => set({ method: (v || undefined) as Filters["method"] })}
        options={[["", "All methods"], ...Object.entries(methods)]}
      />
      <DayFilter
        label="From"
        value={filters.from ?? ""}
        onChange={(v) => set({ from: v || undefined })}
      />
      <DayFilter
        label="To"
        value={filters.to ?? ""}
        onChange={(v) => set({ to: v || undefined })}
      />
      <Button
        look="quiet"
        onClick={() => {
          setAccount("");
          set(everything);
        }}
      >
        Clear
      </Button>
    </div>
  );
}
