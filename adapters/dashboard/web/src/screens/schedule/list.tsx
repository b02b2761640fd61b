// The schedules whose patients are verified: batches of checks, newest first.
import { CalendarPlus } from "lucide-react";
import { useClient } from "../../api/client";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../ui/button";
import { None, When, words } from "../../ui/format";
import { Empty, Page, Section } from "../../ui/page";
import { useMany } from "../../ui/selection";
import { State } from "../../ui/state";
import { List, paged, rowsOf } from "../../ui/table";
import { type Batch, made } from "./items";
import { batchActs } from "./many";

const states: Record<Batch["state"], string> = {
  running: "Asking the payers",
  waiting: "Done, asks again later",
  done: "Done",
  canceled: "Canceled",
};

/** BatchState shows where a batch is. */
export function BatchState({ of: b }: { of: Batch }) {
  return <State value={b.state}>{states[b.state] ?? words(b.state)}</State>;
}

export function Schedules() {
  const { api } = useClient();
  const may = useMay();
  const batches = api.useInfiniteQuery(
    "get",
    "/eligibility/batches",
    { params: { query: { limit: 50 } } },
    {
      ...paged,
      refetchInterval: (q) =>
        q.state.data?.pages.some((p) => p.data.some((b) => b.state === "running")) ? 3000 : false,
    },
  );
  const many = useMany(rowsOf(batches), {
    id: (b) => b.id,
    name: (b) => b.name,
    acts: batchActs,
    more: () => {
      if (batches.hasNextPage) void batches.fetchNextPage();
    },
  });
  return (
    <Page
      title="Schedule"
      curl="/eligibility/batches"
      actions={
        may.write && (
          <ButtonLink
            look="primary"
            icon={<CalendarPlus size={16} aria-hidden />}
            to="/schedule/new"
          >
            Verify a schedule
          </ButtonLink>
        )
      }
    >
      <Section flush>
        <List
          of={batches}
          many={many}
          caption="Schedules"
          id={(b) => b.id}
          to={(b) => `/schedule/${b.id}`}
          columns={[
            { head: "Name", cell: (b) => b.name },
            { head: "State", cell: (b) => <BatchState of={b} /> },
            { head: "Patients", right: true, cell: (b) => b.items.toLocaleString("en-US") },
            { head: "Finished", right: true, cell: (b) => made(b).toLocaleString("en-US") },
            {
              head: "Need a person",
              right: true,
              cell: (b) =>
                b.needs_a_person > 0 ? (
                  <strong>{b.needs_a_person.toLocaleString("en-US")}</strong>
                ) : (
                  <None />
                ),
            },
            { head: "Done", cell: (b) => <When value={b.completed_at ?? b.expected_at} /> },
            { head: "Started", wide: true, cell: (b) => <When value={b.created_at} /> },
          ]}
          empty={
            <Empty
              title="No schedules yet"
              action={
                may.write && (
                  <ButtonLink look="primary" to="/schedule/new">
                    Verify the first schedule
                  </ButtonLink>
                )
              }
            >
              Ask the payers about all patients of a day before they come.
            </Empty>
          }
        />
      </Section>
    </Page>
  );
}
