// Events: what happened, as programs learn of it, and one event with its deliveries.
import { useParams } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format } from "../../api/searches";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { eventTypes } from "../../ui/codes";
import { Copy, useCopyIDs } from "../../ui/copy";
import { Cancel, Modal } from "../../ui/dialog";
import { SelectField } from "../../ui/form";
import { When } from "../../ui/format";
import { JSONView } from "../../ui/json";
import { Go } from "../../ui/link";
import { Left } from "../../ui/many";
import { Empty, Facts, Read, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { type Act, Sure, sent, useMany } from "../../ui/selection";
import { type Column, List, paged, rowsOf } from "../../ui/table";
import { ResourceLink } from "../../ui/traces";
import { useDeliveryColumns, useSoon } from "./deliveries";
import { Developers, endpointName, Since, useEndpoints } from "./frame";

type Event = Schemas["Event"];
type EventType = Schemas["EventType"];

const columns: Column<Event>[] = [
  { head: "Event", cell: (e) => eventTypes[e.type] },
  { head: "Type", cell: (e) => <code className="wrap-anywhere">{e.type}</code> },
  { head: "Resource", wide: true, cell: (e) => <ResourceLink id={e.data.id} /> },
  {
    head: "When",
    right: true,
    cell: (e) => <When value={e.created_at} real={e.type.startsWith("api_key.")} />,
  },
];

/** resendAll sends many events again, each to all endpoints that receive its type. */
const resendAll: Act<Event> = {
  name: "Resend",
  did: "sent again",
  title: (rows) => `Resend ${count(rows.length, "event")}?`,
  ask: (rows, go) => (
    <Sure action={`Resend ${count(rows.length, "event")}`} go={go}>
      <p>
        Each goes to every enabled endpoint that receives its type, with the webhook-id of its first
        delivery, so a receiver recognizes a repetition.
      </p>
    </Sure>
  ),
  send: async (api, key, e) => {
    const { queued } = await sent(
      api.POST("/events/{id}/resend", {
        params: { path: { id: e.id }, header: key },
        body: {},
      }),
    );
    if (queued === 0) throw new Left("No enabled endpoint receives its type.");
    return `${count(queued, "delivery", "deliveries")} queued.`;
  },
};

export function EventList() {
  const { api } = useClient();
  const [filters, set] = useFilters("/developers/events");
  const events = api.useInfiniteQuery(
    "get",
    "/events",
    { params: { query: { ...filters, limit: 50 } } },
    paged,
  );
  const many = useMany(rowsOf(events), {
    id: (e) => e.id,
    name: (e) => `${eventTypes[e.type]}, ${e.data.id}`,
    acts: [resendAll],
    uses: [useCopyIDs<Event>()],
    more: () => {
      if (events.hasNextPage) void events.fetchNextPage();
    },
  });
  return (
    <Developers
      tab="Events"
      title="Events"
      about="The changes that Molar reports to programs, newest first."
      curl={`/events${format(filters)}`}
    >
      <Section flush>
        <div className="filters">
          <SelectField
            label="Type"
            value={filters.type?.[0] ?? ""}
            onChange={(v) => set({ type: v ? [v as EventType] : undefined })}
            options={[["", "All types"], ...Object.entries(eventTypes)]}
          />
          <Since at={filters.created_after} set={(created_after) => set({ created_after })} />
          {filters.resource_id && (
            <Button onClick={() => set({ resource_id: undefined })}>
              Resource {filters.resource_id.slice(0, 10)}… ×
            </Button>
          )}
        </div>
        <List
          of={events}
          many={many}
          caption="Events"
          id={(e) => e.id}
          to={(e) => `/developers/events/${e.id}`}
          columns={columns}
          empty={
            Object.keys(filters).length > 0 ? (
              <Empty
                title="No event matches"
                action={
                  <Go to="/developers/events" className="button">
                    Show all events
                  </Go>
                }
              >
                Try another type, or fewer filters.
              </Empty>
            ) : (
              <Empty title="No events yet">
                Molar creates one when a check completes, a claim changes or a remittance arrives.
              </Empty>
            )
          }
        />
      </Section>
    </Developers>
  );
}

export function EventDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const event = api.useQuery("get", "/events/{id}", { params: { path: { id } } });
  const deliveries = api.useInfiniteQuery(
    "get",
    "/events/{id}/deliveries",
    { params: { path: { id }, query: { limit: 50 } } },
    { ...paged, ...useSoon() },
  );
  const columns = useDeliveryColumns(["Event"]);
  if (!event.data)
    return (
      <Developers tab="Events" title="Event">
        <Read card of={event} rows={10}>
          {() => null}
        </Read>
      </Developers>
    );
  const e = event.data;
  return (
    <Developers
      tab="Events"
      title={eventTypes[e.type]}
      about={
        <>
          <code>{e.type}</code>
          <When value={e.created_at} full />
        </>
      }
      curl={`/events/${e.id}`}
      actions={may.write && <ResendEvent event={e} />}
    >
      <Section title="Event">
        <Facts
          items={[
            ["Resource", <ResourceLink key="r" id={e.data.id} />],
            ["Sequence", `Event ${e.sequence} of this resource`],
            [
              "About the same resource",
              <span key="o" className="row">
                <Go to="/developers/events" search={{ resource_id: e.data.id }}>
                  Events
                </Go>
                <Go to="/developers/requests" search={{ resource_id: e.data.id }}>
                  Requests
                </Go>
              </span>,
            ],
            ["Event ID", <Copy key="i" value={e.id} />],
          ]}
        />
      </Section>
      <Section title="Deliveries" flush>
        <List
          of={deliveries}
          caption="Deliveries"
          id={(d) => d.id}
          to={(d) => `/developers/deliveries/${d.id}`}
          columns={columns}
          empty={
            <Empty
              title="Sent to no endpoint"
              action={
                <Go to="/developers/webhooks" className="button">
                  Webhooks
                </Go>
              }
            >
              No enabled endpoint received this type when the event happened. Resend it once there
              is one.
            </Empty>
          }
        />
      </Section>
      <Section title="JSON">
        <JSONView value={e} label="the event" />
      </Section>
    </Developers>
  );
}

/** ResendEvent sends an event again to one endpoint or to all. */
function ResendEvent({ event }: { event: Event }) {
  const [open, setOpen] = useState(false);
  const [to, setTo] = useState("");
  const endpoints = useEndpoints();
  const able =
    endpoints.data?.data.filter(
      (e) => e.status === "enabled" && (!e.event_types || e.event_types.includes(event.type)),
    ) ?? [];
  const resend = useSend(
    (api, key, endpoint: string) =>
      api.POST("/events/{id}/resend", {
        params: { path: { id: event.id }, header: key },
        body: endpoint ? { endpoint_id: endpoint } : {},
      }),
    {
      says: (r) => `${count(r.queued, "delivery", "deliveries")} queued`,
      done: () => setOpen(false),
    },
  );
  return (
    <>
      <Button look="primary" icon={<Send size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Resend
      </Button>
      <Modal title="Resend this event?" open={open} onOpenChange={setOpen}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            resend.go(to);
          }}
        >
          {able.length === 0 ? (
            <p>
              No enabled endpoint receives events of this type. Create or enable one under Webhooks.
            </p>
          ) : (
            <>
              <SelectField
                label="To"
                value={to}
                onChange={setTo}
                options={[
                  [
                    "",
                    able.length === 1
                      ? endpointName(able[0])
                      : `All ${able.length} endpoints that receive this type`,
                  ],
                  ...(able.length > 1 ? able.map((e) => [e.id, endpointName(e)] as const) : []),
                ]}
              />
              <p className="muted">
                The webhook-id is the same as in the first delivery, so a receiver recognizes a
                repetition.
              </p>
            </>
          )}
          <div className="dialog-actions">
            <Cancel />
            <Button
              type="submit"
              look="primary"
              busy={resend.isPending}
              disabled={able.length === 0}
            >
              Resend the event
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
}
