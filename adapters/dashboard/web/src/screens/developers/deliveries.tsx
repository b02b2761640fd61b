// Deliveries of events to webhook endpoints, and the attempts of one.

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useState } from "react";
import { type Client, type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format, type Searches } from "../../api/searches";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { moment, useNow } from "../../ui/clock";
import { eventTypes } from "../../ui/codes";
import { Copy, useCopyIDs } from "../../ui/copy";
import { Cancel, Modal } from "../../ui/dialog";
import { SelectField } from "../../ui/form";
import { useZone, When } from "../../ui/format";
import { Go } from "../../ui/link";
import { Empty, Facts, Notice, Read, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { Scrolled } from "../../ui/scrolled";
import { type Act, sent, useMany } from "../../ui/selection";
import { Badge, State } from "../../ui/state";
import { type Column, List, paged, rowsOf } from "../../ui/table";
import { Milliseconds, StatusCode } from "../../ui/traces";
import {
  Developers,
  type Endpoint,
  endpointName,
  healthOf,
  hoursBefore,
  Since,
  useEndpoints,
} from "./frame";
import { unsendable } from "./unsendable";

type Filters = Searches["/developers/deliveries"];
type Delivery = Schemas["WebhookDelivery"];
type Attempt = Delivery["attempts"][number];

const stateNames: Record<Schemas["DeliveryState"], string> = {
  delivered: "Delivered",
  pending: "Waiting",
  failed: "Failed",
};

const filterNames = { ...stateNames, pending: "Waiting or retrying" };

/** stateOf returns the state of a delivery in words: one that waits after a failed attempt is retrying. */
function stateOf(d: Delivery): string {
  return d.state === "pending" && d.attempts.length > 0 ? "Retrying" : stateNames[d.state];
}

function DeliveryState({ of: d }: { of: Delivery }) {
  return stateOf(d) === "Retrying" ? (
    <Badge tone="warn">Retrying</Badge>
  ) : (
    <State value={d.state}>{stateOf(d)}</State>
  );
}

/** Outcome shows the last attempt of a delivery. */
function Outcome({ of: d }: { of: Delivery }) {
  const last = d.attempts.at(-1);
  if (!last) return <span className="muted">Not tried yet</span>;
  return last.status === null ? <span>{last.error}</span> : <StatusCode value={last.status} />;
}

/** useSoon looks again at deliveries while one of them is about to be tried: the stream says only that an
 *  endpoint changed. */
export function useSoon() {
  const now = useNow();
  return {
    refetchInterval: ({ state }: { state: { data?: unknown } }) => {
      const pages = (state.data as { pages: { data: Delivery[] }[] } | undefined)?.pages ?? [];
      const next = now() + 20_000;
      return pages.some((p) =>
        p.data.some((d) => d.next_attempt_at && Date.parse(d.next_attempt_at) < next),
      )
        ? 3_000
        : (false as const);
    },
  };
}

/** useDeliveryColumns returns the columns of a list of deliveries, without those that all rows share. */
export function useDeliveryColumns(without: string[] = []): Column<Delivery>[] {
  const endpoints = useEndpoints();
  const all: Column<Delivery>[] = [
    { head: "Event", cell: (d) => eventTypes[d.event_type] },
    {
      head: "Endpoint",
      cell: (d) =>
        endpoints.data ? endpointName(endpoints.data.data.find((e) => e.id === d.endpoint_id)) : "",
    },
    { head: "State", cell: (d) => <DeliveryState of={d} /> },
    { head: "Last reply", cell: (d) => <Outcome of={d} /> },
    { head: "Attempts", right: true, cell: (d) => d.attempts.length },
    {
      head: "Next attempt",
      wide: true,
      right: true,
      cell: (d) => <When value={d.next_attempt_at} />,
    },
    { head: "Created", right: true, cell: (d) => <When value={d.created_at} /> },
  ];
  return all.filter((c) => !without.includes(c.head));
}

export function DeliveryList() {
  const { api } = useClient();
  const may = useMay();
  const [filters, set] = useFilters("/developers/deliveries");
  const endpoints = useEndpoints();
  const deliveries = api.useInfiniteQuery(
    "get",
    "/webhook_deliveries",
    { params: { query: { ...filters, limit: 50 } } },
    { ...paged, ...useSoon() },
  );
  const columns = useDeliveryColumns();
  const many = useMany(rowsOf(deliveries), {
    id: (d) => d.id,
    name: (d) =>
      `${eventTypes[d.event_type]}, ${endpointName(endpoints.data?.data.find((e) => e.id === d.endpoint_id))}`,
    acts: [resendTo(endpoints.data?.data ?? [])],
    uses: [useCopyIDs<Delivery>()],
    more: () => {
      if (deliveries.hasNextPage) void deliveries.fetchNextPage();
    },
  });
  const some = (deliveries.data?.pages[0]?.data.length ?? 0) > 0;
  return (
    <Developers
      tab="Deliveries"
      title="Deliveries"
      about="Each event for each webhook endpoint. Molar keeps them for 30 days."
      curl={`/webhook_deliveries${format(filters)}`}
      actions={
        may.write && some && <ResendAll filters={filters} endpoints={endpoints.data?.data ?? []} />
      }
    >
      <Section flush>
        <div className="filters">
          <SelectField
            label="State"
            value={filters.state ?? ""}
            onChange={(v) => set({ state: (v || undefined) as Filters["state"] })}
            options={[
              ["", "All states"],
              ["pending", "Waiting or retrying"],
              ["failed", "Failed"],
              ["delivered", "Delivered"],
            ]}
          />
          <SelectField
            label="Endpoint"
            value={filters.endpoint_id ?? ""}
            onChange={(v) => set({ endpoint_id: v || undefined })}
            options={[
              ["", "All endpoints"],
              ...(endpoints.data?.data ?? []).map((e) => [e.id, endpointName(e)] as const),
            ]}
          />
          <SelectField
            label="Event type"
            value={filters.event_type ?? ""}
            onChange={(v) => set({ event_type: (v || undefined) as Filters["event_type"] })}
            options={[["", "All types"], ...Object.entries(eventTypes)]}
          />
          <Since at={filters.created_after} set={(created_after) => set({ created_after })} />
          {filters.event_id && (
            <Button onClick={() => set({ event_id: undefined })}>One event ×</Button>
          )}
        </div>
        <List
          of={deliveries}
          many={many}
          caption="Deliveries"
          id={(d) => d.id}
          to={(d) => `/developers/deliveries/${d.id}`}
          columns={columns}
          empty={
            Object.keys(filters).length > 0 ? (
              <Empty
                title="No delivery matches"
                action={
                  <Go to="/developers/deliveries" className="button">
                    Show all deliveries
                  </Go>
                }
              >
                Try another state, or fewer filters.
              </Empty>
            ) : (
              <Empty
                title="No deliveries yet"
                action={
                  <Go to="/developers/webhooks" className="button">
                    Webhooks
                  </Go>
                }
              >
                Once a webhook endpoint is enabled, each new event becomes a delivery to it.
              </Empty>
            )
          }
        />
      </Section>
    </Developers>
  );
}

/** resendTo sends the events of many deliveries to their endpoints again. */
const resendTo = (endpoints: readonly Endpoint[]): Act<Delivery> => ({
  name: "Resend",
  did: "queued",
  not: (d) =>
    unsendable(
      endpoints.find((e) => e.id === d.endpoint_id),
      d.event_type,
    ),
  send: async (api, key, d) => {
    const { queued } = await sent(
      api.POST("/events/{id}/resend", {
        params: { path: { id: d.event_id }, header: key },
        body: { endpoint_id: d.endpoint_id },
      }),
    );
    return `${count(queued, "delivery", "deliveries")} queued.`;
  },
});

/** most is how many deliveries are counted before a resend. */
const most = 1000;

/** selected returns how many deliveries the filters select, and how many a resend queues: each event
 *  once for an enabled endpoint. */
async function selected(
  fetch: Client["fetch"],
  filters: Filters,
  endpoints: Endpoint[],
  signal: AbortSignal,
) {
  const seen = new Set<string>();
  let deliveries = 0;
  let cursor: string | undefined;
  do {
    const { data, error } = await fetch.GET("/webhook_deliveries", {
      params: { query: { ...filters, limit: 100, cursor } },
      signal,
    });
    if (error) throw error;
    deliveries += data.data.length;
    for (const d of data.data) {
      const to = endpoints.find((e) => e.id === d.endpoint_id);
      if (unsendable(to, d.event_type) === null) seen.add(`${d.endpoint_id} ${d.event_id}`);
    }
    cursor = data.next_cursor ?? undefined;
  } while (cursor && deliveries < most);
  return { deliveries, queued: seen.size, more: cursor !== undefined };
}

/** ResendAll sends the events of all deliveries that match the filters again. It says before how many there are. */
function ResendAll({ filters, endpoints }: { filters: Filters; endpoints: Endpoint[] }) {
  const { fetch } = useClient();
  const now = useNow();
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const [since] = useState(() => hoursBefore(Math.min(now(), Date.now()), 24 * 31)); // the oldest that is kept
  const [before, setBefore] = useState("");
  const after = filters.created_after ?? since;
  const match = { ...filters, created_after: after, created_before: before };
  const counted = useQuery({
    queryKey: ["resend", match],
    enabled: open,
    staleTime: 0,
    queryFn: ({ signal }) => selected(fetch, match, endpoints, signal),
  });
  const resend = useSend(
    (api, key) =>
      api.POST("/webhook_deliveries/resend", {
        params: { header: key },
        body: {
          created_after: after,
          created_before: before,
          endpoint_id: filters.endpoint_id,
          event_id: filters.event_id,
          event_type: filters.event_type,
          state: filters.state,
        },
      }),
    {
      says: (r) => `${count(r.queued, "delivery", "deliveries")} queued`,
      done: () => setOpen(false),
    },
  );
  const n = counted.data;
  const to = endpoints.find((e) => e.id === filters.endpoint_id);
  const says = [
    filters.state && `State: ${filterNames[filters.state]}`,
    filters.endpoint_id && `Endpoint: ${endpointName(to)}`,
    filters.event_type && `Type: ${eventTypes[filters.event_type]}`,
    filters.event_id && "One event",
    filters.created_after && `Since ${moment(after, zone)}`,
  ].filter(Boolean);
  return (
    <>
      <Button
        icon={<Send size={16} aria-hidden />}
        onClick={() => {
          setBefore(new Date(now() + 1).toISOString()); // with those of this instant, at which a clock may stand
          setOpen(true);
        }}
      >
        Resend all that match
      </Button>
      <Modal title="Resend all that match?" open={open} onOpenChange={setOpen}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            resend.go();
          }}
        >
          {says.length > 0 ? (
            <ul>
              {says.map((s) => (
                <li key={String(s)}>{s}</li>
              ))}
            </ul>
          ) : (
            <p>No filter is set: these are all deliveries that Molar keeps.</p>
          )}
          <Read of={counted} rows={1}>
            {(of) => <Selected of={of} />}
          </Read>
          <div className="dialog-actions">
            <Cancel />
            <Button
              type="submit"
              look="primary"
              busy={resend.isPending}
              disabled={!n || (n.queued === 0 && !n.more)}
            >
              Resend them
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
}

/** Selected says what a resend sends. */
function Selected({ of: n }: { of: Awaited<ReturnType<typeof selected>> }) {
  if (n.more) {
    return (
      <p>
        More than {most.toLocaleString("en-US")} deliveries match. Each event is sent once to an
        endpoint. One request sends at most 100,000.
      </p>
    );
  }
  const match = `${count(n.deliveries, "delivery matches", "deliveries match")}.`;
  if (n.queued === 0) {
    return (
      <p>{match} None can be sent: the endpoints are disabled, or no longer receive these types.</p>
    );
  }
  return (
    <p>
      {match} Molar sends {count(n.queued, "event")} again
      {n.queued < n.deliveries && ": each event once to an enabled endpoint"}.
    </p>
  );
}

export function DeliveryDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const delivery = api.useQuery("get", "/webhook_deliveries/{id}", { params: { path: { id } } });
  const endpoints = useEndpoints();
  const resend = useSend(
    (api, key, d: Delivery) =>
      api.POST("/events/{id}/resend", {
        params: { path: { id: d.event_id }, header: key },
        body: { endpoint_id: d.endpoint_id },
      }),
    {
      says: (r) => `${count(r.queued, "delivery", "deliveries")} queued`,
    },
  );
  if (!delivery.data)
    return (
      <Developers tab="Deliveries" title="Delivery">
        <Read card of={delivery} rows={8}>
          {() => null}
        </Read>
      </Developers>
    );
  const d = delivery.data;
  const endpoint = endpoints.data?.data.find((e) => e.id === d.endpoint_id);
  const able = unsendable(endpoint, d.event_type) === null;
  const health = endpoint && healthOf(endpoint);
  return (
    <Developers
      tab="Deliveries"
      title={eventTypes[d.event_type]}
      about={
        <>
          <DeliveryState of={d} />
          <span>to {endpoints.data ? endpointName(endpoint) : "…"}</span>
          <When value={d.created_at} full />
        </>
      }
      curl={`/webhook_deliveries/${d.id}`}
      actions={
        may.write && (
          <Button
            look="primary"
            icon={<Send size={16} aria-hidden />}
            busy={resend.isPending}
            disabled={!able}
            title={able ? undefined : "The endpoint is disabled, or no longer receives this type."}
            onClick={() => resend.go(d)}
          >
            Resend
          </Button>
        )
      }
    >
      {health && (health.tone === "bad" || endpoint.status === "disabled") && (
        <Notice
          tone={health.tone === "bad" ? "bad" : "warn"}
          title={health.about}
          action={<Go to={`/developers/webhooks/${endpoint.id}`}>Endpoint</Go>}
        >
          {health.todo}
        </Notice>
      )}
      <Section title="Delivery">
        <Facts
          items={[
            [
              "Event",
              <Go key="e" to={`/developers/events/${d.event_id}`}>
                {eventTypes[d.event_type]}
              </Go>,
            ],
            [
              "Endpoint",
              endpoint ? (
                <Go key="w" to={`/developers/webhooks/${endpoint.id}`}>
                  {endpointName(endpoint)}
                </Go>
              ) : (
                "A deleted endpoint"
              ),
            ],
            [
              "Next attempt",
              d.next_attempt_at ? <When key="n" value={d.next_attempt_at} full /> : "None",
            ],
            ["Delivery ID", <Copy key="i" value={d.id} />],
          ]}
        />
      </Section>
      <Section title={count(d.attempts.length, "attempt")} flush>
        {d.attempts.length === 0 ? (
          <Empty title="Not tried yet">
            {endpoint?.status === "disabled"
              ? "The endpoint is disabled. The delivery waits until it is enabled."
              : "Molar sends it in a moment."}
          </Empty>
        ) : (
          <ol className="attempts" reversed>
            {[...d.attempts].reverse().map((a, i) => (
              <AttemptItem key={a.at} attempt={a} number={d.attempts.length - i} open={i === 0} />
            ))}
          </ol>
        )}
      </Section>
    </Developers>
  );
}

/** AttemptItem shows one attempt: what came back, and how long it lasted. */
function AttemptItem({
  attempt: a,
  number,
  open,
}: {
  attempt: Attempt;
  number: number;
  open: boolean;
}) {
  return (
    <li>
      <div className="spread">
        <span className="row">
          <strong>Attempt {number}</strong>
          {a.status === null ? <Badge tone="bad">No reply</Badge> : <StatusCode value={a.status} />}
        </span>
        <span className="row muted small">
          <Milliseconds value={a.duration_ms} />
          <When value={a.at} full />
        </span>
      </div>
      {a.error && <p>{a.error}</p>}
      {a.url && (
        <p className="small wrap-anywhere">
          <span className="muted">POST</span> {a.url}
        </p>
      )}
      {a.redirect_location && (
        <Notice tone="warn" title="The endpoint redirects, and Molar does not follow redirects.">
          Set the endpoint&rsquo;s URL to{" "}
          <code className="wrap-anywhere">{a.redirect_location}</code>
        </Notice>
      )}
      {a.response && (
        <Scrolled className="reply" label={`The body of the reply to attempt ${number}`}>
          {a.response}
        </Scrolled>
      )}
      {a.headers.length > 0 && (
        <details open={open && a.headers.length <= 8}>
          <summary className="small">{count(a.headers.length, "header")} of the reply</summary>
          <dl className="headers">
            {a.headers.map((h, i) => [
              <dt key={`${i} n`}>{h.name}</dt>,
              <dd key={`${i} v`}>{h.value}</dd>,
            ])}
          </dl>
        </details>
      )}
    </li>
  );
}
