// What payers ask for: the requests that wait, the most urgent first, and those
// that were answered.
import { Link } from "@tanstack/react-router";
import { type Schemas, useClient } from "../../api/client";
import { address, one, useFilters } from "../../api/filters";
import { CopyAsCurl } from "../../ui/copy";
import { When } from "../../ui/format";
import { Empty, Page, Section } from "../../ui/page";
import { type Column, List, paged } from "../../ui/table";
import { Due, soonest } from "./due";
import "./payer-requests.css";

type Request = Schemas["PayerRequest"];

export function PayerRequestList() {
  const { api } = useClient();
  const [filters] = useFilters();
  const state: Schemas["PayerRequestState"] =
    one(filters.state) === "answered" ? "answered" : "open";
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
    <Page
      title="Payer requests"
      actions={<CopyAsCurl path={address("/payer_requests", { ...filters, state })} />}
    >
      <Section flush>
        <nav className="tabs" aria-label="States">
          {(
            [
              ["Open", "open"],
              ["Answered", "answered"],
            ] as const
          ).map(([name, s]) => (
            <Link
              key={s}
              to="."
              search={{ ...filters, state: s === "open" ? undefined : s } as never}
              replace
              className="tab"
              aria-current={s === state ? "page" : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
        <List
          of={ordered}
          caption="Payer requests"
          id={(r) => r.id}
          to={(r) => `/payer-requests/${r.id}`}
          columns={columns}
          empty={
            state === "open" ? (
              <Empty title="No payer waits for you">
                When a payer asks for X-rays or other proof, its request is here with the day by
                which it wants an answer.
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
