// What all reports share: their tabs and filters, links from sums to lists, and a chart.

import { Printer } from "lucide-react";
import { type ReactNode, Suspense } from "react";
import { type Schemas, useClient } from "../../api/client";
import { format, parse, readSearch, type Searches } from "../../api/searches";
import { later } from "../../shell/load";
import { Button } from "../../ui/button";
import { DayFilter, SelectField } from "../../ui/form";
import { dollars, Money, useZone, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import "./reports.css";

type Figure = Schemas["ReportFigure"];

const reports = [
  ["Aging", "/reports"],
  ["Collections", "/reports/collections"],
  ["Denials", "/reports/denials"],
  ["Payers", "/reports/payers"],
] as const;

/** Filters are those of any report. */
export type Filters = Searches["/reports/collections"];

const days = { decision: "Decided", submission: "Sent", service: "Service" } as const;

const PayerFilter = later(() => import("../../ui/payer-filter").then((m) => m.PayerFilter));

/** Report is the frame of a report. */
export function Report({
  name,
  at,
  by,
  grouped,
  period,
  filters,
  set,
  asOf,
  children,
}: {
  name: (typeof reports)[number][0];
  at: string; // its operation in the API
  by: readonly NonNullable<Filters["by"]>[]; // the first is the default
  grouped?: boolean;
  period?: boolean;
  filters: Filters;
  set: (f: Filters) => void;
  asOf: string | undefined;
  children: ReactNode;
}) {
  const { office_id, payer_id, provider_id, from, to } = filters;
  const kept = { office_id, payer_id, provider_id };
  const time_zone = useZone();
  return (
    <Page
      title="Reports"
      list={`${at}${format({ ...filters, time_zone })}`}
      printed={<h2>{name}</h2>}
      actions={
        <Button icon={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
          Print
        </Button>
      }
      about={asOf && <span className="muted">As of {<When value={asOf} />}</span>}
    >
      <Section flush>
        <nav className="tabs no-print" aria-label="Reports">
          {reports.map(([title, place]) => (
            <Go
              key={place}
              to={place}
              search={place === "/reports" ? kept : { ...kept, from, to }}
              replace
              className="tab"
              aria-current={title === name ? "page" : undefined}
            >
              {title}
            </Go>
          ))}
        </nav>
        <Narrow by={by} grouped={grouped} period={period} filters={filters} set={set} />
        {children}
      </Section>
    </Page>
  );
}

function Narrow({
  by,
  grouped,
  period,
  filters,
  set,
}: {
  by: readonly NonNullable<Filters["by"]>[];
  grouped: boolean | undefined;
  period: boolean | undefined;
  filters: Filters;
  set: (f: Filters) => void;
}) {
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const providers = api.useQuery("get", "/providers", { params: { query: { limit: 100 } } });
  return (
    <div className="filters">
      <SelectField
        label={period ? "Day in the period" : "Age from"}
        value={filters.by ?? by[0] ?? ""}
        onChange={(v) => set({ by: v === by[0] ? undefined : (v as Filters["by"]) })}
        options={by.map((d) => [d, days[d]] as const)}
      />
      {period && (
        <>
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
        </>
      )}
      {grouped && (
        <SelectField
          label="Rows"
          value={filters.group_by ?? "payer"}
          onChange={(v) =>
            set({ group_by: v === "payer" ? undefined : (v as Filters["group_by"]) })
          }
          options={[
            ["payer", "By payer"],
            ["office", "By office"],
            ["provider", "By provider"],
          ]}
        />
      )}
      <SelectField
        label="Office"
        value={filters.office_id ?? ""}
        onChange={(v) => set({ office_id: v || undefined })}
        options={[
          ["", "All offices"],
          ...(offices.data?.data ?? []).map((o) => [o.id, o.name] as const),
        ]}
      />
      <SelectField
        label="Provider"
        value={filters.provider_id ?? ""}
        onChange={(v) => set({ provider_id: v || undefined })}
        options={[
          ["", "All providers"],
          ...(providers.data?.data ?? []).map(
            (p) => [p.id, `${p.first_name} ${p.last_name}`] as const,
          ),
        ]}
      />
      <Suspense>
        <PayerFilter id={filters.payer_id} set={(payer_id) => set({ payer_id })} />
      </Suspense>
    </div>
  );
}

/** Nothing stands for a report without claims. */
export function Nothing() {
  return (
    <Empty title="Nothing to report">
      No claim is in this report. Choose a longer period, or fewer filters.
    </Empty>
  );
}

/** claims returns the filters of the list of a sum. */
export function claims(href: string): Searches["/claims"] {
  return readSearch("/claims", parse(href.split("?")[1] ?? ""));
}

/** Sum is an amount that leads to its claims. */
export function Sum({ of, says, strong }: { of: Figure; says: string; strong?: boolean }) {
  if (of.claims === 0) return <span className="muted numbers">–</span>;
  return (
    <Go
      to="/claims"
      search={claims(of.href)}
      aria-label={`${says}: ${dollars(of.amount)}, ${count(of.claims, "claim")}`}
    >
      <Money value={of.amount} strong={strong ?? false} />
    </Go>
  );
}

/** Claims is a number of claims that leads to them. */
export function Claims({
  of,
  says,
  named,
}: {
  of: Schemas["ReportNumber"];
  says: string;
  named?: boolean; // in a sentence
}) {
  const text = named ? count(of.claims, "claim") : of.claims.toLocaleString("en-US");
  if (of.claims === 0) return <span className="muted numbers">–</span>;
  return (
    <Go to="/claims" search={claims(of.href)} aria-label={`${says}: ${count(of.claims, "claim")}`}>
      <span className="numbers">{text}</span>
    </Go>
  );
}

/** Bar is a row of a chart: a name, and its parts. */
export type Bar = { name: string; says: string; parts: { value: number; second?: boolean }[] };

/** Bars draw sums as bars from one line. A table beside them has the numbers. */
export function Bars({ of, keys }: { of: Bar[]; keys?: [string, string] }) {
  const length = (b: Bar) => b.parts.reduce((n, p) => n + Math.max(0, p.value), 0);
  const most = Math.max(1, ...of.map(length));
  return (
    <figure className="bars" aria-label="Chart">
      {keys && (
        <figcaption className="row small">
          <span className="bars-key">{keys[0]}</span>
          <span className="bars-key second">{keys[1]}</span>
        </figcaption>
      )}
      <ul>
        {of.map((b) => (
          <li key={b.name}>
            <span className="bars-name">{b.name}</span>
            <span className="bars-line" aria-hidden>
              {b.parts.map((p, i) => (
                <span
                  key={i}
                  className={p.second ? "second" : undefined}
                  style={{ width: `${(100 * Math.max(0, p.value)) / most}%` }}
                />
              ))}
            </span>
            <span className="bars-says numbers">{b.says}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
