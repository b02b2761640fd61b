// The fee schedules: what offices charge, and what payers allow.
import { useParams } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button } from "../../ui/button";
import { SelectField, TextField } from "../../ui/form";
import { day, Money, useToday } from "../../ui/format";
import { Go } from "../../ui/link";
import { useOpening } from "../../ui/opening";
import { Empty, Facts, Notice, Page, Read, Section, useCurrent } from "../../ui/page";
import { Badge } from "../../ui/state";
import { List, paged, Table } from "../../ui/table";
import { spans } from "./deadlines";
import { FeeImport } from "./fees-import";
import { FeeMatch } from "./fees-match";
import { SettingsParts } from "./parts";

type Schedule = Schemas["FeeSchedule"];

/** kinds has the words for the kinds of fee schedules. */
export const kinds: Record<string, string> = {
  office_fees: "What offices charge",
  allowed: "What a payer allows",
};

const networks: Record<string, string> = { in: "In network", out: "Out of network" };

/** useOfficeNames returns the names of the offices, by their IDs. */
function useOfficeNames(): (id: string | null) => string {
  const { api } = useClient();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  return (id) =>
    id === null ? "All offices" : (offices.data?.data.find((o) => o.id === id)?.name ?? id);
}

export function FeeSchedules() {
  const { api } = useClient();
  const may = useMay();
  const [importing, setImporting] = useOpening("/settings/fees");
  const office = useOfficeNames();
  const [filters, set] = useFilters("/settings/fees");
  const schedules = api.useInfiniteQuery(
    "get",
    "/fee_schedules",
    { params: { query: { limit: 50, ...filters } } },
    paged,
  );
  const add = (
    <Button
      look="primary"
      icon={<FileUp size={16} aria-hidden />}
      onClick={() => setImporting(true)}
    >
      Import a fee schedule
    </Button>
  );
  return (
    <Page title="Settings" curl="/fee_schedules" actions={may.manage && add}>
      <SettingsParts />
      <div className="filters">
        <SelectField
          label="Show"
          value={filters.current ? "current" : ""}
          onChange={(v) => set({ current: v ? true : undefined })}
          options={[
            ["", "All"],
            ["current", "Those in force today"],
          ]}
        />
        <SelectField
          label="Kind"
          value={filters.kind ?? ""}
          onChange={(v) => set({ kind: (v || undefined) as Schedule["kind"] | undefined })}
          options={[["", "Both"], ...Object.entries(kinds)]}
        />
      </div>
      <Section flush>
        <List
          of={schedules}
          caption="Fee schedules"
          id={(s) => s.id}
          to={(s) => `/settings/fees/${s.id}`}
          columns={[
            { head: "Name", cell: (s) => s.name },
            { head: "Kind", wide: true, cell: (s) => kinds[s.kind] ?? s.kind },
            { head: "For", cell: (s) => purpose(s, office(s.office_id)) },
            { head: "From", cell: (s) => <span className="nowrap">{day(s.effective_from)}</span> },
            {
              head: "Procedures",
              right: true,
              wide: true,
              cell: (s) => <span className="numbers">{s.row_count}</span>,
            },
            {
              head: "State",
              cell: (s) => <InForce schedule={s} current={filters.current === true} />,
            },
          ]}
          empty={
            <Empty
              title={
                filters.current || filters.kind ? "No such fee schedule" : "No fee schedules yet"
              }
            >
              Estimates need what your offices charge and what payers allow. Import a CSV file of
              your practice software.
            </Empty>
          }
        />
      </Section>
      <FeeMatch />
      {importing && <FeeImport close={() => setImporting(false)} />}
    </Page>
  );
}

/** purpose returns in words what a fee schedule is for. */
function purpose(s: Schedule, office: string): string {
  return [s.payer?.name ?? "All payers", office, s.network && (networks[s.network] ?? s.network)]
    .filter(Boolean)
    .join(", ");
}

/** InForce shows whether a fee schedule counts today. One that is not known to be the current version says what it
 *  says itself. */
function InForce({ schedule: s, current }: { schedule: Schedule; current?: boolean }) {
  const today = useToday();
  if (current) return <Badge tone="good">In force</Badge>;
  if (s.replaced_from && s.replaced_from <= today) return <Badge tone="plain">Replaced</Badge>;
  if (s.effective_from > today) return <Badge tone="accent">Not yet</Badge>;
  return <Badge tone="good">Has begun</Badge>;
}

export function FeeScheduleDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const [replacing, setReplacing] = useState(false);
  // A page reads JSON; the text is that of a client that asks for CSV.
  const schedule = useCurrent(
    api.useQuery("get", "/fee_schedules/{id}", { params: { path: { id } } }),
  ) as ReturnType<typeof useCurrent<Schemas["FeeScheduleWithRows"]>>;
  const office = useOfficeNames();
  return (
    <Page
      title={schedule.data?.name ?? "Fee schedule"}
      above={<Back to="/settings/fees">Fee schedules</Back>}
      curl={`/fee_schedules/${id}`}
      actions={
        may.manage &&
        schedule.data &&
        !schedule.data.replaced_by && (
          <Button icon={<FileUp size={16} aria-hidden />} onClick={() => setReplacing(true)}>
            Replace
          </Button>
        )
      }
    >
      <Read card of={schedule} rows={8}>
        {(s) => (
          <>
            {s.replaced_by && s.replaced_from && (
              <Notice
                title={`Another fee schedule replaces it from ${day(s.replaced_from)} on.`}
                action={<Go to={`/settings/fees/${s.replaced_by}`}>Show that one</Go>}
              />
            )}
            <Section>
              <Facts
                items={[
                  ["Kind", kinds[s.kind] ?? s.kind],
                  ["For", purpose(s, office(s.office_id))],
                  ["First service date", day(s.effective_from)],
                  ["State", <InForce key="state" schedule={s} />],
                  ...(s.write_off_beyond_limits === null
                    ? []
                    : ([
                        [
                          "Beyond the plan's limits",
                          s.write_off_beyond_limits
                            ? "The patient pays at most the amount"
                            : "The office may charge its own fee",
                        ],
                      ] as [string, string][])),
                  ...spans.flatMap(([name, label]): [string, string][] => {
                    const days = s[`${name}_days`];
                    if (days === null) return [];
                    const source = s[`${name}_source`];
                    return [[label, source ? `${days} (${source})` : String(days)]];
                  }),
                ]}
              />
            </Section>
            <Rows rows={s.rows} />
            {replacing && <FeeImport replaces={s} close={() => setReplacing(false)} />}
          </>
        )}
      </Read>
    </Page>
  );
}

const most = 200;

/** Rows shows the first rows whose code begins with what is typed. */
function Rows({ rows }: { rows: readonly Schemas["FeeRow"][] }) {
  const [code, setCode] = useState("");
  const found = rows.filter((r) => r.procedure_code.startsWith(code.trim().toUpperCase()));
  return (
    <Section title="Procedures">
      <TextField
        label="Find a procedure"
        value={code}
        onChange={setCode}
        placeholder="D0120"
        autoComplete="off"
      />
      <Table
        caption="Procedures"
        rows={found.slice(0, most)}
        id={(r) => r.procedure_code}
        columns={[
          { head: "Procedure", cell: (r) => <code>{r.procedure_code}</code> },
          { head: "Amount", right: true, cell: (r) => <Money value={r.amount} /> },
        ]}
      />
      {found.length > most && (
        <p className="muted">
          The first {most} of {found.length.toLocaleString("en-US")} are shown. Type a code to find
          another.
        </p>
      )}
      {found.length === 0 && <p className="muted">No procedure has such a code.</p>}
    </Section>
  );
}
