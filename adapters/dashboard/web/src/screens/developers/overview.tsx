// What a developer needs first: how the endpoints are, and what failed in the last day.
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { ButtonLink } from "../../ui/button";
import { errorText } from "../../ui/codes";
import { When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Failure, Loading, Section } from "../../ui/page";
import { List, paged, Table } from "../../ui/table";
import { Operation, StatusCode } from "../../ui/traces";
import { soon, useDeliveryColumns } from "./deliveries";
import { Developers, healthOf, hoursAgo, useEndpoints } from "./frame";
import { EndpointCard } from "./webhooks";

export function Overview() {
  const { api } = useClient();
  const [since] = useState(() => hoursAgo(24));
  const endpoints = useEndpoints();
  const failed = api.useInfiniteQuery(
    "get",
    "/webhook_deliveries",
    { params: { query: { state: "failed", created_after: since, limit: 10 } } },
    paged,
  );
  const waiting = api.useInfiniteQuery(
    "get",
    "/webhook_deliveries",
    { params: { query: { state: "pending", created_after: since, limit: 10 } } },
    { ...paged, ...soon },
  );
  const columns = useDeliveryColumns();
  const rank = { bad: 0, warn: 1, plain: 2, good: 3 } as Record<string, number>;
  const list = [...(endpoints.data?.data ?? [])].sort(
    (a, b) => (rank[healthOf(a).tone] ?? 2) - (rank[healthOf(b).tone] ?? 2),
  );
  return (
    <Developers
      tab="Overview"
      title="Developers"
      about="Endpoints, and what failed in the last day."
    >
      {endpoints.isPending ? (
        <Section>
          <Loading rows={3} />
        </Section>
      ) : !endpoints.data ? (
        <Section flush>
          <Failure error={endpoints.error} retry={() => void endpoints.refetch()} />
        </Section>
      ) : list.length === 0 ? (
        <Section flush>
          <Empty
            title="No webhook endpoints"
            action={<ButtonLink to="/developers/webhooks">Webhooks</ButtonLink>}
          >
            With one, Molar posts each event to your program as it happens.
          </Empty>
        </Section>
      ) : (
        <ul className="plain endpoints">
          {list.map((e) => (
            <li key={e.id}>
              <EndpointCard of={e} />
            </li>
          ))}
        </ul>
      )}
      {(waiting.data?.pages[0]?.data.length ?? 0) > 0 && (
        <Section
          title="Deliveries that wait or are retried"
          flush
          actions={
            <Go
              to={`/developers/deliveries?state=pending&created_after=${encodeURIComponent(since)}`}
            >
              All, with filters
            </Go>
          }
        >
          <List
            of={waiting}
            caption="Deliveries that wait or are retried"
            id={(d) => d.id}
            to={(d) => `/developers/deliveries/${d.id}`}
            columns={columns}
            empty={null}
          />
        </Section>
      )}
      <Section
        title="Failed deliveries of the last day"
        flush
        actions={
          <Go to={`/developers/deliveries?state=failed&created_after=${encodeURIComponent(since)}`}>
            All, with filters
          </Go>
        }
      >
        <List
          of={failed}
          caption="Failed deliveries"
          id={(d) => d.id}
          to={(d) => `/developers/deliveries/${d.id}`}
          columns={columns}
          empty={<Empty title="No delivery failed for good" />}
        />
      </Section>
      <Refused since={since} />
    </Developers>
  );
}

/** Refused groups the refused requests among the last hundred of a day, most frequent first. */
function Refused({ since }: { since: string }) {
  const { api } = useClient();
  const requests = api.useQuery("get", "/requests", {
    params: { query: { created_after: since, limit: 100 } },
  });
  if (requests.isPending)
    return (
      <Section title="Refused requests">
        <Loading rows={3} />
      </Section>
    );
  if (!requests.data)
    return (
      <Section title="Refused requests" flush>
        <Failure error={requests.error} retry={() => void requests.refetch()} />
      </Section>
    );
  const all = requests.data.data;
  const groups = new Map<string, { last: Schemas["LoggedRequest"]; times: number }>();
  for (const r of all) {
    if (r.status === null || r.status < 400) continue;
    const key = `${r.operation} ${r.status} ${r.error}`;
    const group = groups.get(key);
    if (group) group.times++;
    else groups.set(key, { last: r, times: 1 });
  }
  const rows = [...groups.values()].sort((a, b) => b.times - a.times);
  const of = requests.data.next_cursor ? "the last 100 requests" : "the requests of the last day";
  return (
    <Section
      title={`Refused among ${of}`}
      flush
      actions={
        <Go to={`/developers/requests?created_after=${encodeURIComponent(since)}`}>All requests</Go>
      }
    >
      {rows.length === 0 ? (
        <Empty title={all.length === 0 ? "No requests in the last day" : "None was refused"} />
      ) : (
        <Table
          caption="Refused requests"
          rows={rows}
          id={(g) => g.last.id}
          to={(g) =>
            `/developers/requests?operation=${encodeURIComponent(g.last.operation)}&status=${g.last.status}${g.last.error ? `&error=${g.last.error}` : ""}&created_after=${encodeURIComponent(since)}`
          }
          columns={[
            { head: "Operation", cell: (g) => <Operation value={g.last.operation} /> },
            { head: "Reply", cell: (g) => <StatusCode value={g.last.status} /> },
            {
              head: "Why",
              cell: (g) => (g.last.error ? (errorText(g.last.error) ?? g.last.error) : ""),
            },
            { head: "Times", right: true, cell: (g) => g.times },
            { head: "Last", right: true, cell: (g) => <When value={g.last.created_at} /> },
          ]}
        />
      )}
    </Section>
  );
}
