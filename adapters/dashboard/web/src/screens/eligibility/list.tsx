// The checks, newest first. The attempts for one question stand together: a
// check that corrects another one is in one row with it.
import { BadgeCheck } from "lucide-react";
import { useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format, type Searches } from "../../api/searches";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../ui/button";
import { SelectField } from "../../ui/form";
import { Day, day, None, name, useToday, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { Picker } from "../../ui/picker";
import { count } from "../../ui/plural";
import { type Act, useMany } from "../../ui/selection";
import { Badge } from "../../ui/state";
import { List, paged, rowsOf } from "../../ui/table";
import { checkAgain } from "./many";
import { unanswered } from "./repeat";
import { useSheets } from "./sheets";
import { type CheckResource, standing } from "./standing";

export type { CheckResource };

/** Attempts is a question to a payer: its last check, and the rejected ones that it corrects. */
type Attempts = { last: CheckResource; earlier: CheckResource[] };

export function CheckList() {
  const { api } = useClient();
  const may = useMay();
  const [filters, set] = useFilters("/eligibility");
  const outcome = filters.outcome ?? "";
  const checks = api.useInfiniteQuery(
    "get",
    "/eligibility",
    { params: { query: { ...filters, limit: 50 } } },
    paged,
  );
  const grouped = {
    ...checks,
    data: checks.data && { pages: [{ data: group(checks.data.pages.flatMap((p) => p.data)) }] },
  };
  const [print, sheets] = useSheets();
  const again = checkAgain(useToday());
  const many = useMany(rowsOf(grouped), {
    id: (a) => a.last.id,
    name: (a) => name(a.last.request.patient ?? a.last.request.subscriber),
    acts: [ofLast(again)],
    uses: [
      {
        name: "Print a page for each",
        not: (a) => unanswered(a.last),
        does: (rows) =>
          print(
            rows.map((a) => a.last.id),
            true,
          ),
      },
    ],
    more: () => {
      if (grouped.hasNextPage) void grouped.fetchNextPage();
    },
  });
  return (
    <Page
      title="Eligibility"
      list={`/eligibility${format(filters)}`}
      actions={
        may.write && (
          <ButtonLink
            look="primary"
            icon={<BadgeCheck size={16} aria-hidden />}
            to="/eligibility/new"
          >
            New check
          </ButtonLink>
        )
      }
    >
      <div className={sheets ? "no-print" : undefined}>
        <Section flush>
          <div className="filters">
            <SelectField
              label="Outcome"
              value={outcome}
              onChange={(v) =>
                set({ outcome: (v || undefined) as Searches["/eligibility"]["outcome"] })
              }
              options={[
                ["", "All checks"],
                ["answered", "Answered"],
                ["rejected", "Rejected by the payer"],
                ["payer_unavailable", "Payer unavailable"],
                ["error", "Failed"],
              ]}
            />
            <OfPatient id={filters.patient_id} onChange={(patient_id) => set({ patient_id })} />
          </div>
          <List
            of={grouped}
            many={many}
            caption="Eligibility checks"
            id={(a) => a.last.id}
            to={(a) => `/eligibility/${a.last.id}`}
            columns={[
              {
                head: "Patient",
                cell: (a) => name(a.last.request.patient ?? a.last.request.subscriber),
              },
              { head: "Coverage", cell: (a) => <Coverage check={a.last} /> },
              { head: "Payer", cell: (a) => a.last.payer.name },
              {
                head: "Plan",
                wide: true,
                cell: (a) => a.last.plan?.name ?? <None />,
              },
              { head: "Service date", cell: (a) => <Day value={a.last.request.service_date} /> },
              { head: "Asked", cell: (a) => <When value={a.last.created_at} /> },
            ]}
            open={(a) =>
              a.earlier.length > 0 && (
                <p className="muted small">
                  {count(a.earlier.length, "earlier attempt")}:{" "}
                  {a.earlier.map((e, i) => (
                    <span key={e.id}>
                      {i > 0 && ", "}
                      <Go to={`/eligibility/${e.id}`} className="above">
                        {e.rejection?.reasons[0]?.message ?? "no response"}
                      </Go>
                    </span>
                  ))}
                </p>
              )
            }
            empty={
              outcome || filters.patient_id ? (
                <Empty title="No check ended like this">
                  Choose another outcome or patient to see more.
                </Empty>
              ) : (
                <Empty
                  title="No checks yet"
                  action={
                    may.write && (
                      <ButtonLink look="primary" to="/eligibility/new">
                        Make the first check
                      </ButtonLink>
                    )
                  }
                >
                  Ask a payer whether a patient is covered, and what it pays.
                </Empty>
              )
            }
          />
        </Section>
      </div>
      {sheets}
    </Page>
  );
}

/** ofLast is an act for the last attempts. */
const ofLast = (act: Act<CheckResource>): Act<Attempts> => ({
  name: act.name,
  did: act.did,
  not: (a) => act.not?.(a.last) ?? null,
  title: (rows) => act.title?.(rows.map((a) => a.last)) ?? "",
  ask: (rows, go) =>
    act.ask?.(
      rows.map((a) => a.last),
      go,
    ),
  send: (api, key, a, choice) => act.send(api, key, a.last, choice),
});

/** OfPatient finds a patient, by whom the list is searched. The address has the patient's ID. */
function OfPatient({
  id,
  onChange,
}: {
  id: string | undefined;
  onChange: (id: string | undefined) => void;
}) {
  const { api, fetch } = useClient();
  const chosen = api.useQuery(
    "get",
    "/patients/{id}",
    { params: { path: { id: id ?? "" } } },
    { enabled: id !== undefined },
  );
  return (
    <>
      <Picker
        label="Patient"
        kind="patients"
        min={2}
        placeholder="Name, date of birth or member ID"
        nothing="No patient is found. Enter words of a name, a date of birth or the start of a member ID."
        value={(id && chosen.data) || null}
        text={(p) => name(p)}
        about={(p) => `born ${day(p.date_of_birth)}`}
        find={async (query, signal) => {
          const { data, error } = await fetch.POST("/patients/search", {
            body: { query, limit: 20 },
            signal,
          });
          if (error) throw error;
          return data.data;
        }}
        onChange={(p) => onChange(p?.id)}
      />
      {id && <Button onClick={() => onChange(undefined)}>All patients</Button>}
    </>
  );
}

/** group puts the attempts of each question together, by the last one's time. */
function group(checks: CheckResource[]): Attempts[] {
  const by = new Map(checks.map((c) => [c.id, c]));
  const corrected = new Set(checks.map((c) => c.parent_id));
  return checks
    .filter((c) => !corrected.has(c.id))
    .map((last) => {
      const earlier: CheckResource[] = [];
      for (
        let c = last.parent_id ? by.get(last.parent_id) : undefined;
        c;
        c = c.parent_id ? by.get(c.parent_id) : undefined
      )
        earlier.push(c);
      return { last, earlier };
    });
}

/** Coverage shows whether the patient is covered. */
export function Coverage({ check: c }: { check: CheckResource }) {
  const [word, tone] = standing(c);
  return <Badge tone={tone}>{word}</Badge>;
}
