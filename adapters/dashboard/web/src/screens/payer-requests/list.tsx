// What payers ask for: the requests that wait, the most urgent first, and those
// that were answered.
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format } from "../../api/searches";
import { When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { useMany } from "../../ui/selection";
import { type Column, List, paged, rowsOf } from "../../ui/table";
import { useAssignTasks } from "../today/many";
import { Due, soonest } from "./due";
import "./payer-requests.css";

type Request = Schemas["PayerRequest"];

export function PayerRequestList() {
  const { api } = useClient();
  const [filters] = useFilters("/payer-requests");
  const { state = "open" } = filters;
  const requests = api.useInfiniteQuery(
    "get",
    "/payer_requests",
    { params: { query: { ...filters, state, limit: 100 } } },
    paged,
  );
  // The service lists the newest first; those that wait are few.
  const ordered =
    state === "open" && requests.data
      ? {
          ...requests,
          data: { pages: [{ data: requests.data.pages.flatMap((p) => p.data).sort(soonest) }] },
        }
      : requests;
  const assign = useAssignTasks<Request>();
  const many = useMany(rowsOf(ordered), {
    id: (r) => r.id,
    name: (r) => `${r.payer.name}, ${r.reference_number}`,
    acts: [{ ...assign, not: (r) => (r.state === "open" ? null : "It is answered.") }],
    more: () => {
      if (requests.hasNextPage) void requests.fetchNextPage();
    },
  });
  const columns: Column<Request>[] = [
    { head: "Payer", cell: (r) => r.payer.name },
    {
      head: "Due",
      cell: (r) => (
        <span>
          <Due request={r} />
        </span>
      ),
    },
    { head: "Asks for", cell: (r) => <span className="asks">{r.requested}</span> },
    { head: "Reference", cell: (r) => r.reference_number },
    {
      head: "About",
      cell: (r) => (r.claim_id ? "A claim" : <span className="muted">No claim</span>),
    },
    state === "open"
      ? { head: "Arrived", wide: true, cell: (r) => <When value={r.created_at} /> }
      : { head: "Answered", cell: (r) => <When value={r.answered_at} /> },
  ];
  return (
    <Page title="Payer requests" list={`/payer_requests${format({ ...filters, state })}`}>
      <Section flush>
        <nav className="tabs" aria-label="States">
          {(
            [
              ["Open", "open"],
              ["Answered", "answered"],
            ] as const
          ).map(([name, s]) => (
            <Go
              key={s}
              to="/payer-requests"
              search={{ ...filters, state: s === "open" ? undefined : s }}
              replace
              className="tab"
              aria-current={s === state ? "page" : undefined}
            >
              {name}
            </Go>
          ))}
        </nav>
        <List
          of={ordered}
          many={many}
          caption="Payer requests"
          id={(r) => r.id}
          to={(r) => `/payer-requests/${r.id}`}
          columns={columns}
          empty={
            state === "open" ? (
              <Empty title="No open requests">
                When a payer asks for X-rays or other proof, its request appears here with its due
                date.
              </Empty>
            ) : (
              <Empty title="No answered requests yet">
                Requests stay here after you answer them.
              </Empty>
            )
          }
        />
      </Section>
    </Page>
  );
}
