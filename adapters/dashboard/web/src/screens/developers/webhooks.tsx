// Webhook endpoints: how each is, and what an owner can do with it.
import { useParams } from "@tanstack/react-router";
import { ChevronDown, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { useMay, useMe } from "../../api/session";
import { Button } from "../../ui/button";
import { eventTypes, statusText } from "../../ui/codes";
import { Copy, useCopyAsCurl } from "../../ui/copy";
import { Cancel, Modal } from "../../ui/dialog";
import { Check, FaultsOf, Group, TextField } from "../../ui/form";
import { When } from "../../ui/format";
import { Go, useGo } from "../../ui/link";
import { More } from "../../ui/menu";
import { useOpening } from "../../ui/opening";
import { Empty, Facts, Failure, Notice, Read, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { Badge } from "../../ui/state";
import { List, paged } from "../../ui/table";
import { useDeliveryColumns, useSoon } from "./deliveries";
import { Developers, type Endpoint, endpointName, Healthy, healthOf, useEndpoints } from "./frame";
import { Secret } from "./secret";

type EventType = Schemas["EventType"];
const most = 10;

export function WebhookList() {
  const may = useMay();
  const endpoints = useEndpoints();
  const [making, setMaking] = useOpening("/developers/webhooks");
  const [{ failing }] = useFilters("/developers/webhooks");
  const list = endpoints.data?.data ?? [];
  const make = () =>
    may.manage && (
      <Button
        look="primary"
        icon={<Plus size={16} aria-hidden />}
        disabled={list.length >= most}
        title={list.length >= most ? `There are at most ${most} endpoints.` : undefined}
        onClick={() => setMaking(true)}
      >
        New endpoint
      </Button>
    );
  return (
    <Developers
      tab="Webhooks"
      title="Webhooks"
      about="Molar posts each event to these endpoints, signed."
      curl="/webhook_endpoints"
      actions={list.length > 0 && make()}
    >
      {failing && (
        <p>
          Only endpoints that are failing are shown. <Go to="/developers/webhooks">Show all</Go>
        </p>
      )}
      {!may.manage && <Notice title="Only an owner creates and changes endpoints." />}
      <Read card of={endpoints} rows={4}>
        {({ data }) => (
          <EndpointCards of={failing ? failingOf(data) : data}>
            {failing ? (
              <Empty title="No endpoint is failing now" />
            ) : (
              <Empty title="No endpoints yet" action={make()}>
                Create one with the HTTPS address of your program. Until then, your program can
                follow the events with GET /events.
              </Empty>
            )}
          </EndpointCards>
        )}
      </Read>
      {may.manage && <NeedRead />}
      {may.manage && <EndpointForm open={making} onOpenChange={setMaking} />}
    </Developers>
  );
}

/** failingOf returns the endpoints that fail, those that have failed longest first. */
function failingOf(all: readonly Endpoint[]): Endpoint[] {
  const since = (e: Endpoint) => e.health.failing_since ?? "";
  return all
    .filter((e) => e.status === "enabled" && since(e))
    .sort((a, b) => since(a).localeCompare(since(b)));
}

/** NeedRead is the owners' setting of what a key needs to have endpoints. */
function NeedRead() {
  const { organization } = useMe();
  const change = useSend(
    (api, key, on: boolean) =>
      api.PATCH("/organization", { params: { header: key }, body: { endpoints_need_read: on } }),
    { says: "Saved." },
  );
  return (
    <Section title="Endpoints of API keys">
      <Check
        label="A key also needs the read permission"
        hint={
          <>
            Events show what a reader sees, including payments. A key without read then cannot
            create or enable an endpoint, or change its address or event types.
          </>
        }
        checked={organization.endpoints_need_read}
        onChange={(on) => {
          if (!change.isPending) change.go(on);
        }}
      />
    </Section>
  );
}

/** useMaker returns who made an endpoint, as owners know them, and whether that is a key without read. */
function useMaker(e: Endpoint | undefined): { name: string; blind: boolean } {
  const { api } = useClient();
  const enabled = useMay().manage && !!e?.created_by;
  const keys = api.useQuery("get", "/api_keys", { params: { query: { limit: 100 } } }, { enabled });
  const users = api.useQuery("get", "/users", { params: { query: { limit: 100 } } }, { enabled });
  const key = keys.data?.data.find((k) => k.id === e?.created_by);
  const user = users.data?.data.find((u) => u.id === e?.created_by);
  return {
    name: key?.name ?? user?.name ?? user?.email ?? e?.created_by ?? "Not known",
    blind: !!key && !key.permissions.includes("read"),
  };
}

/** EndpointCards lists endpoints, or shows what stands for them when there are none. */
export function EndpointCards({ of, children }: { of: readonly Endpoint[]; children: ReactNode }) {
  if (of.length === 0) return <Section flush>{children}</Section>;
  return (
    <ul className="plain endpoints">
      {of.map((e) => (
        <li key={e.id}>
          <EndpointCard of={e} />
        </li>
      ))}
    </ul>
  );
}

/** EndpointCard shows an endpoint and how it is. The whole card leads to it. */
function EndpointCard({ of: e }: { of: Endpoint }) {
  const health = healthOf(e);
  const { blind } = useMaker(e);
  return (
    <section className="card endpoint">
      <div className="spread">
        <h2>
          <Go to={`/developers/webhooks/${e.id}`} className="row-link">
            {endpointName(e)}
          </Go>
        </h2>
        <Healthy of={e} />
      </div>
      {e.description && <p className="muted small wrap-anywhere">{e.url}</p>}
      <p>{health.about}</p>
      <p className="muted small">
        {e.event_types ? count(e.event_types.length, "event type") : "Every event type"}
      </p>
      {blind && (
        <p>
          <Badge tone="warn">Made by a key without read</Badge>
        </p>
      )}
    </section>
  );
}

export function WebhookDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const endpoint = api.useQuery("get", "/webhook_endpoints/{id}", { params: { path: { id } } });
  const deliveries = api.useInfiniteQuery(
    "get",
    "/webhook_deliveries",
    { params: { query: { endpoint_id: id, limit: 20 } } },
    { ...paged, ...useSoon() },
  );
  const columns = useDeliveryColumns(["Endpoint"]);
  const maker = useMaker(endpoint.data);
  if (!endpoint.data)
    return (
      <Developers tab="Webhooks" title="Webhook endpoint">
        <Read card of={endpoint} rows={8}>
          {() => null}
        </Read>
      </Developers>
    );
  const e = endpoint.data;
  const health = healthOf(e);
  const h = e.health;
  return (
    <Developers
      tab="Webhooks"
      title={endpointName(e)}
      about={
        <>
          <Healthy of={e} />
          {e.description && <span className="wrap-anywhere">{e.url}</span>}
        </>
      }
      curl={may.manage ? undefined : `/webhook_endpoints/${e.id}`}
      actions={may.manage && <EndpointActions of={e} />}
    >
      {health.todo && (
        <Notice
          tone={health.tone === "bad" ? "bad" : "warn"}
          title={health.about}
          action={
            h.failing_since && (
              <Go to="/developers/deliveries" search={{ endpoint_id: e.id, state: "pending" }}>
                Undelivered events
              </Go>
            )
          }
        >
          {health.todo}
        </Notice>
      )}
      {maker.blind && (
        <Notice tone="warn" title={`${maker.name}, an API key without read, made this endpoint.`}>
          Its events show what a reader sees, including payments. Disable or delete it if that
          program should not see them.
        </Notice>
      )}
      <Section title="Endpoint">
        <Facts
          items={[
            [
              "Failing since",
              h.failing_since ? <When key="f" value={h.failing_since} full /> : "It is not failing",
            ],
            ["Failures in a row", h.consecutive_failures.toLocaleString("en-US")],
            [
              "Next try",
              h.circuit_open_until ? (
                <When key="c" value={h.circuit_open_until} full />
              ) : (
                "Without a pause"
              ),
            ],
            [
              "Last success",
              h.last_success_at ? <When key="l" value={h.last_success_at} full /> : "None yet",
            ],
            ["Created", <When key="m" value={e.created_at} full />],
            ["Created by", maker.name],
            ["Endpoint ID", <Copy key="i" value={e.id} />],
          ]}
        />
        <div>
          <h3>Event types</h3>
          <p>
            {e.event_types
              ? e.event_types.map((t) => eventTypes[t]).join(", ")
              : "Every type, including types that are added later"}
          </p>
        </div>
        {!may.manage && (
          <p className="muted small">Only an owner changes, tests or deletes an endpoint.</p>
        )}
      </Section>
      <Section
        title="Deliveries"
        flush
        actions={
          <Go to="/developers/deliveries" search={{ endpoint_id: e.id }}>
            All, with filters
          </Go>
        }
      >
        <List
          of={deliveries}
          caption="Deliveries"
          id={(d) => d.id}
          to={(d) => `/developers/deliveries/${d.id}`}
          columns={columns}
          empty={
            <Empty title="No deliveries yet">
              The next event of its types is delivered here. Send a test event to try it now.
            </Empty>
          }
        />
      </Section>
    </Developers>
  );
}

/** EndpointActions are what an owner can do with an endpoint. */
function EndpointActions({ of: e }: { of: Endpoint }) {
  const go = useGo();
  const [asks, setAsks] = useState<"edit" | "rotate" | "delete" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [pinged, setPinged] = useState<Schemas["WebhookPing"] | null>(null);
  const close = () => setAsks(null);
  const params = (key: { "Idempotency-Key": string }) => ({ path: { id: e.id }, header: key });
  const ping = useSend(
    (api, key) => api.POST("/webhook_endpoints/{id}/ping", { params: params(key), body: {} }),
    { done: setPinged },
  );
  const enable = useSend(
    (api, key) => api.POST("/webhook_endpoints/{id}/enable", { params: params(key), body: {} }),
    { says: "The endpoint is enabled." },
  );
  const disable = useSend(
    (api, key) => api.POST("/webhook_endpoints/{id}/disable", { params: params(key), body: {} }),
    { says: "The endpoint is disabled." },
  );
  const rotate = useSend(
    (api, key) =>
      api.POST("/webhook_endpoints/{id}/rotate_secret", { params: params(key), body: {} }),
    {
      done: (r) => {
        close();
        setSecret(r.secret ?? null);
      },
    },
  );
  const copy = useCopyAsCurl();
  const remove = useSend(
    (api, key) => api.DELETE("/webhook_endpoints/{id}", { params: params(key) }),
    { says: "The endpoint is deleted.", done: () => go("/developers/webhooks") },
  );
  return (
    <>
      {e.status === "disabled" ? (
        <Button busy={enable.isPending} onClick={() => enable.go()}>
          Enable
        </Button>
      ) : (
        <Button onClick={() => setAsks("edit")}>Edit</Button>
      )}
      <Button look="primary" busy={ping.isPending} onClick={() => ping.go()}>
        {ping.isPending ? "Sending…" : "Send a test event"}
      </Button>
      <More
        label="More actions"
        items={[
          ...(e.status === "disabled"
            ? [{ label: "Edit", onSelect: () => setAsks("edit") }]
            : [{ label: "Disable", onSelect: () => disable.go() }]),
          { label: "Rotate the secret", onSelect: () => setAsks("rotate") },
          { label: "Copy as curl", onSelect: () => copy(`/webhook_endpoints/${e.id}`) },
          { label: "Delete", danger: true, onSelect: () => setAsks("delete") },
        ]}
      >
        More
        <ChevronDown size={16} aria-hidden />
      </More>
      <EndpointForm
        open={asks === "edit"}
        onOpenChange={(o) => {
          if (!o) close();
        }}
        endpoint={e}
      />
      <Modal
        title="Rotate the secret?"
        open={asks === "rotate"}
        onOpenChange={(o) => {
          if (!o) close();
        }}
      >
        <div className="stack">
          <p>
            Molar signs every delivery from now on with a new secret. The old one stops at once: the
            receiver refuses deliveries until you give it the new secret.
          </p>
          <div className="dialog-actions">
            <Cancel />
            <Button look="danger" busy={rotate.isPending} onClick={() => rotate.go()}>
              Rotate the secret
            </Button>
          </div>
        </div>
      </Modal>
      <Modal
        title="Delete this endpoint?"
        open={asks === "delete"}
        onOpenChange={(o) => {
          if (!o) close();
        }}
      >
        <div className="stack">
          <p className="wrap-anywhere">
            Molar sends nothing more to {endpointName(e)} and deletes its deliveries. You cannot
            undo this.
          </p>
          <div className="dialog-actions">
            <Cancel />
            <Button look="danger" busy={remove.isPending} onClick={() => remove.go()}>
              Delete the endpoint
            </Button>
          </div>
        </div>
      </Modal>
      <Secret
        title="The endpoint's new secret"
        value={secret}
        about="Your receiver checks the signature of each delivery with it."
        close={() => setSecret(null)}
      />
      <Modal
        title="Test event"
        open={pinged !== null}
        onOpenChange={(o) => {
          if (!o) setPinged(null);
        }}
      >
        {pinged && (
          <div className="stack">
            <Notice
              tone={pinged.status !== null && pinged.status < 300 ? "good" : "bad"}
              title={outcome(pinged)}
            >
              {pinged.error ??
                (pinged.duration_ms !== null &&
                  `It replied in ${Math.round(pinged.duration_ms)} ms.`)}
            </Notice>
            <p className="muted">A test event has no delivery, and does not count as a failure.</p>
            <div className="dialog-actions">
              <Button look="primary" onClick={() => setPinged(null)}>
                Done
              </Button>
            </div>
          </div>
        )}
      </Modal>
    </>
  );
}

/** outcome says what became of a test event. */
function outcome({ status }: Schemas["WebhookPing"]): string {
  if (status === null) return "The endpoint did not reply.";
  return status < 300
    ? `The endpoint accepted it: ${statusText(status)}.`
    : `The endpoint refused it: ${statusText(status)}.`;
}

/** EndpointForm creates or changes an endpoint. The secret of a new one is shown once. */
function EndpointForm({
  open,
  onOpenChange,
  endpoint,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  endpoint?: Endpoint;
}) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Modal
        title={endpoint ? "Edit the endpoint" : "New endpoint"}
        open={open}
        onOpenChange={onOpenChange}
        wide
      >
        <EndpointFields
          endpoint={endpoint}
          close={(made) => {
            onOpenChange(false);
            setSecret(made ?? null);
          }}
        />
      </Modal>
      <Secret
        title="The endpoint's secret"
        value={secret}
        about="Your receiver checks the signature of each delivery with it."
        close={() => setSecret(null)}
      />
    </>
  );
}

function EndpointFields({
  endpoint,
  close,
}: {
  endpoint: Endpoint | undefined;
  close: (secret?: string) => void;
}) {
  const [url, setURL] = useState(endpoint?.url ?? "");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [types, setTypes] = useState<EventType[] | null>(endpoint?.event_types ?? null);
  const body = { url: url.trim(), description: description.trim(), event_types: types };
  const create = useSend(
    (api, key) => api.POST("/webhook_endpoints", { params: { header: key }, body }),
    { quiet: true, done: (r) => close(r.secret) },
  );
  const update = useSend(
    (api, key) =>
      api.PATCH("/webhook_endpoints/{id}", {
        params: { path: { id: endpoint?.id ?? "" }, header: key },
        body,
      }),
    { quiet: true, says: "The endpoint is changed.", done: () => close() },
  );
  const send = endpoint ? update : create;
  const faults = isAPIError(send.error) ? send.error.errors : [];
  return (
    <FaultsOf list={faults} request={body}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          send.go();
        }}
      >
        {send.error && faults.length === 0 && <Failure error={send.error} />}
        <TextField
          label="URL"
          path="url"
          type="url"
          required
          value={url}
          onChange={setURL}
          placeholder="https://hooks.example.com/molar"
          hint="It starts with https:// and its host has a public address."
          spellCheck={false}
          autoComplete="off"
        />
        <TextField
          label="Description"
          path="description"
          optional
          value={description}
          onChange={setDescription}
          maxLength={200}
          hint="What people call it, such as Practice software."
          autoComplete="off"
        />
        <fieldset className="stack-s">
          <legend>Events</legend>
          <Check
            label="Every type"
            hint="Also types that are added later."
            checked={types === null}
            onChange={(every) => setTypes(every ? null : [])}
          />
          {types && (
            <Group whole path="event_types" className="types">
              {(Object.entries(eventTypes) as [EventType, string][]).map(([t, label]) => (
                <Check
                  key={t}
                  label={label}
                  checked={types.includes(t)}
                  onChange={(on) => setTypes(on ? [...types, t] : types.filter((x) => x !== t))}
                />
              ))}
            </Group>
          )}
        </fieldset>
        <div className="dialog-actions">
          <Cancel />
          <Button type="submit" look="primary" busy={send.isPending} disabled={types?.length === 0}>
            {endpoint ? "Save" : "Create the endpoint"}
          </Button>
        </div>
      </form>
    </FaultsOf>
  );
}
