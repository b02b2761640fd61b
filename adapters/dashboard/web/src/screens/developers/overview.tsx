// What a developer needs first: how the endpoints are, and what failed in the last day.
import { Clock } from "lucide-react";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useOpenClock } from "../../shell/open-clock";
import { Button, ButtonLink } from "../../ui/button";
import { useNow } from "../../ui/clock";
import { errorText } from "../../ui/codes";
import { When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Read, Section } from "../../ui/page";
import { List, paged, Table } from "../../ui/table";
import { Operation, StatusCode } from "../../ui/traces";
import { useDeliveryColumns, useSoon } from "./deliveries";
import { Developers, type Endpoint, healthOf, hoursBefore, useEndpoints } from "./frame";
import { EndpointCards } from "./webhooks";

export function Overview() {
  const { api } = useClient();
  const now = useNow();
  const openClock = useOpenClock();
  const [since, setSince] = useState(() => hoursBefore(now(), 24));
  if (now() - Date.parse(since) > 25 * 3_600_000) setSince(hoursBefore(now(), 24)); // the clock moved
  const [sinceReal] = useState(() => hoursBefore(Date.now(), 24));
  const soon = useSoon();
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
  const byHealth = (a: Endpoint, b: Endpoint) =>
    (rank[healthOf(a).tone] ?? 2) - (rank[healthOf(b).tone] ?? 2);
  return (
    <Developers
      tab="Overview"
      title="Developers"
      about="Endpoints, and what failed in the last day."
      actions={
        openClock && (
          <Button icon={<Clock size={16} aria-hidden />} onClick={openClock}>
            Test clock
          </Button>
        )
      }
    >
      <Read card of={endpoints} rows={3}>
        {({ data }) => (
          <EndpointCards of={data.toSorted(byHealth)}>
            <Empty
              title="No webhook endpoints"
              action={<ButtonLink to="/developers/webhooks">Webhooks</ButtonLink>}
            >
              With one, Molar posts each event to your program as it happens.
            </Empty>
          </EndpointCards>
        )}
      </Read>
      {(waiting.data?.pages[0]?.data.length ?? 0) > 0 && (
        <Section
          title="Pending deliveries"
          flush
          actions={
            <Go to="/developers/deliveries" search={{ state: "pending", created_after: since }}>
              All, with filters
            </Go>
          }
        >
          <List
            of={waiting}
            caption="Pending deliveries"
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
          <Go to="/developers/deliveries" search={{ state: "failed", created_after: since }}>
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
          empty={<Empty title="No delivery failed" />}
        />
      </Section>
      <Refused since={sinceReal} />
    </Developers>
  );
}

/** Refused groups the refused requests among the last hundred of a day, most frequent first. */
function Refused({ since }: { since: string }) {
  const { api } = useClient();
  const requests = api.useQuery("get", "/requests", {
    params: { query: { created_after: since, limit: 100 } },
  });
  if (!requests.data)
    return (
      <Section title="Refused requests" flush={!requests.isPending}>
        <Read of={requests} rows={3}>
          {() => null}
        </Read>
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
        <Go to="/developers/requests" search={{ created_after: since }}>
          All requests
        </Go>
      }
    >
      {rows.length === 0 ? (
        <Empty title={all.length === 0 ? "No requests in the last day" : "None was refused"} />
      ) : (
        <Table
          caption="Refused requests"
          rows={rows}
          id={(g) => g.last.id}
          to={(g) => ({
            to: "/developers/requests",
            search: {
              operation: g.last.operation,
              status: g.last.status ?? undefined,
              error: g.last.error ?? undefined,
              created_after: since,
            },
          })}
          columns={[
            { head: "Operation", cell: (g) => <Operation value={g.last.operation} /> },
            { head: "Reply", cell: (g) => <StatusCode value={g.last.status} /> },
            {
              head: "Why",
              cell: (g) => (g.last.error ? (errorText(g.last.error) ?? g.last.error) : ""),
            },
            { head: "Times", right: true, cell: (g) => g.times },
            { head: "Last", right: true, cell: (g) => <When value={g.last.created_at} real /> },
          ]}
        />
      )}
    </Section>
  );
}
