// The four reports. Each sum leads to the list of its claims.
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { parse, readSearch } from "../../api/searches";
import { acts } from "../../ui/codes";
import { cents, dollars, Money, useZone } from "../../ui/format";
import { Go } from "../../ui/link";
import { Read } from "../../ui/page";
import { count } from "../../ui/plural";
import { type Column, Table } from "../../ui/table";
import { Bars, Claims, Nothing, Report, Sum } from "./frame";

type Row = { id: string | null; name: string | null };

/** called returns the name of a row; the total has no ID, and is the last. */
const called = (r: Row, total: Row) => (r === total ? "Total" : (r.name ?? "No provider"));

const ages = [
  ["days_0_30", "0–30 days"],
  ["days_31_60", "31–60 days"],
  ["days_61_90", "61–90 days"],
  ["days_91_120", "91–120 days"],
  ["over_120", "Over 120 days"],
] as const;

export function Aging() {
  const [filters, set] = useFilters("/reports");
  const query = { ...filters, time_zone: useZone() };
  const { api } = useClient();
  const report = api.useQuery("get", "/reports/aging", { params: { query } });
  return (
    <Report
      name="Aging"
      at="/reports/aging"
      by={["submission", "service"]}
      grouped
      filters={filters}
      set={(f) => set(f as typeof filters)}
      asOf={report.data?.as_of}
    >
      <Read of={report} rows={8}>
        {(r) =>
          r.rows.length === 0 ? (
            <Nothing />
          ) : (
            <>
              <Bars
                keys={["Insurance", "Patient"]}
                of={ages.map(([key, name]) => {
                  const { insurance, patient } = r.total;
                  return {
                    name,
                    says: [insurance[key], patient[key]]
                      .map((f) => (f.claims > 0 ? dollars(f.amount) : "–"))
                      .join(" and "),
                    parts: [
                      { value: cents(insurance[key].amount) },
                      { value: cents(patient[key].amount), second: true },
                    ],
                  };
                })}
              />
              <h2 className="card-note">Insurance</h2>
              <Aged of={r} part="insurance" />
              <h2 className="card-note">Patient</h2>
              <Aged of={r} part="patient" />
            </>
          )
        }
      </Read>
    </Report>
  );
}

function Aged({ of: r, part }: { of: Schemas["AgingReport"]; part: "insurance" | "patient" }) {
  const says = part === "insurance" ? "Insurance" : "Patient";
  const name = (row: Row) => called(row, r.total);
  const columns: Column<Schemas["AgingRow"]>[] = [
    { head: "For", cell: (row) => <span className="strong">{name(row)}</span> },
    ...ages.map(
      ([key, head]): Column<Schemas["AgingRow"]> => ({
        head,
        right: true,
        cell: (row) => <Sum of={row[part][key]} says={`${says}, ${name(row)}, ${head}`} />,
      }),
    ),
    {
      head: "Total",
      right: true,
      cell: (row) => <Sum strong of={row[part].total} says={`${says}, ${name(row)}, total`} />,
    },
  ];
  if (part === "insurance")
    columns.push({
      head: "Not sent",
      right: true,
      cell: (row) => <Sum of={row.unsent} says={`Not sent, ${name(row)}`} />,
    });
  return (
    <Table
      caption={`${says} by age`}
      rows={[...r.rows, r.total]}
      id={(row) => row.id ?? name(row)}
      columns={columns}
    />
  );
}

const collected = [
  ["paid", "Paid"],
  ["contractual", "Contracts"],
  ["write_off", "Written off"],
  ["other", "Other"],
  ["bill_patient", "Billed to patients"],
  ["patient_owes", "Patients owe"],
] as const;

export function Collections() {
  const [filters, set] = useFilters("/reports/collections");
  const query = { ...filters, time_zone: useZone() };
  const { api } = useClient();
  const report = api.useQuery("get", "/reports/collections", { params: { query } });
  return (
    <Report
      name="Collections"
      at="/reports/collections"
      by={["decision", "submission", "service"]}
      grouped
      period
      filters={filters}
      set={set}
      asOf={report.data?.as_of}
    >
      <Read of={report} rows={8}>
        {(r) => (
          <>
            {r.rows.length === 0 ? (
              <Nothing />
            ) : (
              <>
                <Bars
                  of={collected.map(([key, name]) => ({
                    name,
                    says: dollars(r.total[key].amount),
                    parts: [{ value: cents(r.total[key].amount) }],
                  }))}
                />
                <Table
                  caption="Collections"
                  rows={[...r.rows, r.total]}
                  id={(row) => row.id ?? called(row, r.total)}
                  columns={[
                    {
                      head: "For",
                      cell: (row) => <span className="strong">{called(row, r.total)}</span>,
                    },
                    {
                      head: "Claims",
                      right: true,
                      cell: (row) => <Claims of={row.claims} says={called(row, r.total)} />,
                    },
                    ...collected.map(([key, head]) => ({
                      head,
                      right: true,
                      cell: (row: Schemas["CollectionsRow"]) => (
                        <Sum of={row[key]} says={`${head}, ${called(row, r.total)}`} />
                      ),
                    })),
                  ]}
                />
              </>
            )}
            <Payments of={r.payments} />
            <Unapplied of={r.unapplied} />
          </>
        )}
      </Read>
    </Report>
  );
}

/** Payments says what the remittances of the period pay, and by what that differs from what they pay on claims. */
function Payments({ of }: { of: Schemas["CollectionsReport"]["payments"] }) {
  if (!of || of.remittances === 0) return null;
  return (
    <section aria-label="Payments of the period">
      <h2 className="card-note">Payments of the period</h2>
      <ul className="plain card-note stack-s">
        <li>
          Payers paid <Money value={of.amount} strong /> in {count(of.remittances, "remittance")}.
          Compare it with the bank.
        </li>
        {of.provider_adjustments.reasons.map((a) => (
          <li key={a.reason}>
            {cents(a.amount) < 0 ? "Raised" : "Reduced"} by{" "}
            <Money value={a.amount.replace("-", "")} strong /> on no claim: {a.label} ({a.reason}),
            in {count(a.remittances, "remittance")}.
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Unapplied says how much of the remittances of the period is on no claim. */
function Unapplied({ of }: { of: Schemas["CollectionsReport"]["unapplied"] }) {
  if (!of || of.ignored.claims + of.unfinished.claims === 0) return null;
  return (
    <section aria-label="On no claim">
      <h2 className="card-note">On no claim</h2>
      <ul className="plain card-note stack-s">
        {(
          [
            ["Ignored", of.ignored],
            ["Not finished", of.unfinished],
          ] as const
        )
          .filter(([, f]) => f.claims > 0)
          .map(([what, f]) => (
            <li key={what}>
              {what}:{" "}
              <Go
                to="/remittances"
                search={readSearch("/remittances", parse(f.href.split("?")[1] ?? ""))}
                aria-label={`${what}: ${dollars(f.amount)}`}
              >
                <Money value={f.amount} strong />
              </Go>{" "}
              of {count(f.claims, "remittance claim")} by payments of the period.
            </li>
          ))}
      </ul>
    </section>
  );
}

export function Denials() {
  const [filters, set] = useFilters("/reports/denials");
  const query = { ...filters, time_zone: useZone() };
  const { api } = useClient();
  const report = api.useQuery("get", "/reports/denials", { params: { query } });
  return (
    <Report
      name="Denials"
      at="/reports/denials"
      by={["decision", "submission", "service"]}
      period
      filters={filters}
      set={set}
      asOf={report.data?.as_of}
    >
      <Read of={report} rows={8}>
        {(r) =>
          r.rows.length === 0 ? (
            <Nothing />
          ) : (
            <>
              <Bars
                of={r.rows.slice(0, 10).map((d) => ({
                  name: `${d.group}-${d.reason}, ${acts[d.act] ?? d.act}`,
                  says: dollars(d.refused.amount),
                  parts: [{ value: cents(d.refused.amount) }],
                }))}
              />
              <Table
                caption="Denials"
                rows={r.rows}
                id={(d) => `${d.group}-${d.reason} ${d.act}`}
                columns={[
                  {
                    head: "Reason",
                    cell: (d) => (
                      <span>
                        <span className="strong">{d.label}</span>
                        <span className="sub">{`${d.group}-${d.reason}`}</span>
                      </span>
                    ),
                  },
                  { head: "What to do", cell: (d) => acts[d.act] ?? d.act },
                  {
                    head: "Claims",
                    right: true,
                    cell: (d) => (
                      <Claims of={d.refused} says={`${d.label}, ${acts[d.act] ?? d.act}`} />
                    ),
                  },
                  {
                    head: "Refused",
                    right: true,
                    cell: (d) => <Sum of={d.refused} says={`${d.group}-${d.reason}`} />,
                  },
                ]}
              />
              <p className="card-note">
                In all <Money strong value={r.total.refused} /> is refused, of{" "}
                <Claims of={r.total.claims} says="Refused in all" named />.
              </p>
            </>
          )
        }
      </Read>
    </Report>
  );
}

export function Payers() {
  const [filters, set] = useFilters("/reports/payers");
  const query = { ...filters, time_zone: useZone() };
  const { api } = useClient();
  const report = api.useQuery("get", "/reports/payers", { params: { query } });
  return (
    <Report
      name="Payers"
      at="/reports/payers"
      by={["decision", "submission", "service"]}
      period
      filters={filters}
      set={set}
      asOf={report.data?.as_of}
    >
      <Read of={report} rows={8}>
        {(r) => {
          const total = r.total;
          if (!total) return <Nothing />;
          return (
            <>
              <Bars
                of={r.rows.map((p) => ({
                  name: p.name ?? "",
                  says: `${p.days_to_pay.mean} days`,
                  parts: [{ value: p.days_to_pay.mean }],
                }))}
              />
              <Table
                caption="Payers"
                rows={[...r.rows, total]}
                id={(p) => p.id ?? "Total"}
                columns={[
                  {
                    head: "Payer",
                    cell: (p) => <span className="strong">{called(p, total)}</span>,
                  },
                  {
                    head: "Decided",
                    right: true,
                    cell: (p) => <Claims of={p.decided} says={`Decided, ${called(p, total)}`} />,
                  },
                  {
                    head: "First time",
                    right: true,
                    cell: (p) => (
                      <Claims of={p.first_pass} says={`First time, ${called(p, total)}`} />
                    ),
                  },
                  {
                    head: "Later",
                    right: true,
                    cell: (p) => <Claims of={p.later} says={`Later, ${called(p, total)}`} />,
                  },
                  {
                    head: "First-pass rate",
                    right: true,
                    cell: (p) => <span className="numbers">{p.first_pass_rate}%</span>,
                  },
                  {
                    head: "Days to decide",
                    right: true,
                    cell: (p) => (
                      <span className="numbers">
                        {p.days_to_pay.mean}
                        <span className="sub">median {p.days_to_pay.median}</span>
                      </span>
                    ),
                  },
                  {
                    head: "Estimates off by",
                    right: true,
                    cell: (p) =>
                      p.estimates.compared === 0 ? (
                        <span className="muted">–</span>
                      ) : (
                        <span>
                          <Money value={p.estimates.mean_absolute_error} />
                          <span className="sub">
                            {p.estimates.within} of {p.estimates.compared} right
                          </span>
                        </span>
                      ),
                  },
                ]}
              />
            </>
          );
        }}
      </Read>
    </Report>
  );
}
