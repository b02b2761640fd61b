// The requests that programs sent with API keys, and one of them.
import { useParams } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { format } from "../../api/searches";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { errorText, eventTypes, kindOf, statusText } from "../../ui/codes";
import { Copy, useCopyIDs } from "../../ui/copy";
import { SelectField, TextField } from "../../ui/form";
import { None, When } from "../../ui/format";
import { Go, useGo } from "../../ui/link";
import { Empty, Facts, Notice, Read, Section } from "../../ui/page";
import { useMany } from "../../ui/selection";
import { type Column, List, paged, rowsOf } from "../../ui/table";
import { Milliseconds, Operation, ResourceLink, StatusCode } from "../../ui/traces";
import { Developers, Since } from "./frame";

type LoggedRequest = Schemas["LoggedRequest"];

const columns: Column<LoggedRequest>[] = [
  { head: "Operation", cell: (r) => <Operation value={r.operation} /> },
  { head: "Reply", cell: (r) => <StatusCode value={r.status} /> },
  {
    head: "Error",
    cell: (r) => (r.error ? <code>{r.error}</code> : <None />),
  },
  {
    head: "Resource",
    wide: true,
    cell: (r) => (r.resource_id ? <ResourceLink id={r.resource_id} /> : <None />),
  },
  { head: "Duration", right: true, cell: (r) => <Milliseconds value={r.duration_ms} /> },
  { head: "When", right: true, cell: (r) => <When value={r.created_at} real /> },
];

const replies = [200, 201, 204, 400, 401, 403, 404, 409, 422, 429, 500, 503];

export function RequestList() {
  const { api } = useClient();
  const [filters, set] = useFilters("/developers/requests");
  const requests = api.useInfiniteQuery(
    "get",
    "/requests",
    { params: { query: { ...filters, limit: 50 } } },
    paged,
  );
  const filtered = Object.keys(filters).length > 0;
  const many = useMany(rowsOf(requests), {
    id: (r) => r.id,
    name: (r) => `${r.operation ?? "A request"}, ${r.status}`,
    acts: [], // what was sent is only read
    uses: [useCopyIDs<LoggedRequest>()],
    more: () => {
      if (requests.hasNextPage) void requests.fetchNextPage();
    },
  });
  return (
    <Developers
      tab="Requests"
      title="Requests"
      about="What programs sent with API keys. What people do here is in the audit log, under Settings."
      curl={`/requests${format(filters)}`}
      actions={
        <Button
          icon={<RefreshCw size={16} aria-hidden />}
          busy={requests.isRefetching}
          onClick={() => void requests.refetch()}
        >
          Refresh
        </Button>
      }
    >
      <Section flush>
        <div className="filters">
          <Find value={filters.resource_id} set={(v) => set({ resource_id: v })} />
          <OperationField
            key={filters.operation}
            value={filters.operation}
            set={(v) => set({ operation: v })}
            seen={requests.data?.pages.flatMap((p) => p.data.map((r) => r.operation)) ?? []}
          />
          <SelectField
            label="Reply"
            value={String(filters.status ?? "")}
            onChange={(v) => set({ status: v ? Number(v) : undefined })}
            options={[
              ["", "Any reply"],
              ...replies.map((s) => [String(s), statusText(s)] as const),
            ]}
          />
          <Since real at={filters.created_after} set={(created_after) => set({ created_after })} />
          <KeyField value={filters.key_id} set={(v) => set({ key_id: v })} />
          {filters.error && (
            <Button onClick={() => set({ error: undefined })}>Error {filters.error} ×</Button>
          )}
        </div>
        <List
          of={requests}
          many={many}
          caption="Requests"
          id={(r) => r.id}
          to={(r) => `/developers/requests/${r.id}`}
          columns={columns}
          empty={
            filtered ? (
              <Empty
                title="No request matches"
                action={
                  <Go to="/developers/requests" className="button">
                    Show all requests
                  </Go>
                }
              >
                Try fewer filters. A request is listed about a second after its reply.
              </Empty>
            ) : (
              <Empty
                title="No requests yet"
                action={
                  <Go to="/developers/keys" className="button">
                    API keys
                  </Go>
                }
              >
                Requests with an API key of this mode appear here, about a second after their reply.
              </Empty>
            )
          }
        />
      </Section>
    </Developers>
  );
}

/** Find leads to the request with an ID, or to the requests of another resource. */
function Find({ value, set }: { value: string | undefined; set: (v: string | undefined) => void }) {
  const go = useGo();
  const [text, setText] = useState(value ?? "");
  const find = (id: string) => {
    if (id.startsWith("req_")) go(`/developers/requests/${id}`);
    else set(id || undefined);
  };
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        find(text.trim());
      }}
    >
      <TextField
        label="Request or resource ID"
        value={text}
        onChange={(v) => {
          setText(v);
          if (!v) set(undefined);
        }}
        placeholder="req_… or clm_…"
        spellCheck={false}
        autoComplete="off"
      />
    </form>
  );
}

function OperationField({
  value,
  set,
  seen,
}: {
  value: string | undefined;
  set: (v: string | undefined) => void;
  seen: string[];
}) {
  const [text, setText] = useState(value ?? "");
  const commit = () => set(text.trim() || undefined);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        commit();
      }}
    >
      <TextField
        label="Operation"
        value={text}
        onChange={setText}
        onBlur={commit}
        placeholder="POST /claims"
        list="operations"
        spellCheck={false}
        autoComplete="off"
      />
      <datalist id="operations">
        {[
          ...new Set([
            "POST /eligibility",
            "POST /claims",
            "GET /claims/{id}",
            "POST /attachments",
            ...seen,
          ]),
        ].map((o) => (
          <option key={o} value={o} />
        ))}
      </datalist>
    </form>
  );
}

/** KeyField chooses requests by key. Only an owner sees the names of keys. */
function KeyField({
  value,
  set,
}: {
  value: string | undefined;
  set: (v: string | undefined) => void;
}) {
  const { api, mode } = useClient();
  const may = useMay();
  const keys = api.useQuery(
    "get",
    "/api_keys",
    { params: { query: { limit: 100 } } },
    { enabled: may.manage },
  );
  if (!may.manage && !value) return null;
  const known = keys.data?.data.filter((k) => k.mode === mode) ?? [];
  return (
    <SelectField
      label="API key"
      value={value ?? ""}
      onChange={(v) => set(v || undefined)}
      options={[
        ["", "Any key"],
        ...(value && !known.some((k) => k.id === value) ? [[value, "This key"] as const] : []),
        ...known.map((k) => [k.id, `${k.name} (…${k.last_four})`] as const),
      ]}
    />
  );
}

export function RequestDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const request = api.useQuery("get", "/requests/{id}", { params: { path: { id } } });
  const keys = api.useQuery(
    "get",
    "/api_keys",
    { params: { query: { limit: 100 } } },
    { enabled: may.manage },
  );
  if (!request.data)
    return (
      <Developers tab="Requests" title="Request">
        <Read card of={request} rows={6}>
          {() => null}
        </Read>
      </Developers>
    );
  const r = request.data;
  const key = keys.data?.data.find((k) => k.id === r.key_id);
  return (
    <Developers
      tab="Requests"
      title={r.operation}
      about={
        <>
          <StatusCode value={r.status} />
          <When value={r.created_at} full />
          <Milliseconds value={r.duration_ms} />
        </>
      }
      curl={`/requests/${r.id}`}
    >
      {r.error && (
        <Notice
          tone={(r.status ?? 0) >= 500 ? "bad" : "warn"}
          title={errorText(r.error) ?? "The service refused the request."}
          action={
            <Go to="/developers/requests" search={{ error: r.error }}>
              Requests with this error
            </Go>
          }
        >
          Error code <code>{r.error}</code>
        </Notice>
      )}
      {r.status === null && (
        <Notice tone="warn" title="The service stopped before it recorded the reply.">
          What the request changed is still saved. Repeat it with the same Idempotency-Key to get
          its reply.
        </Notice>
      )}
      <Section title="Request">
        <Facts
          items={[
            [
              "Resource",
              r.resource_id ? (
                <ResourceLink key="r" id={r.resource_id} />
              ) : (
                "None: it changed no single resource"
              ),
            ],
            [
              "API key",
              <Go key="k" to="/developers/requests" search={{ key_id: r.key_id }}>
                {key ? `${key.name} (…${key.last_four})` : "Requests with the same key"}
              </Go>,
            ],
            ["Request ID", <Copy key="i" value={r.id} />],
          ]}
        />
        <p className="muted small">Molar keeps no bodies and no query values of requests.</p>
      </Section>
      {r.resource_id && <After resource={r.resource_id} />}
    </Developers>
  );
}

/** After lists the other requests and the events of the request's resource. */
function After({ resource }: { resource: string }) {
  const { api } = useClient();
  const query = { resource_id: resource, limit: 10 };
  const events = api.useInfiniteQuery("get", "/events", { params: { query } }, paged);
  const requests = api.useInfiniteQuery("get", "/requests", { params: { query } }, paged);
  return (
    <>
      <Section title={`Events of this ${kindOf(resource)}`} flush>
        <List
          of={events}
          caption="Events"
          id={(e) => e.id}
          to={(e) => `/developers/events/${e.id}`}
          columns={[
            { head: "Event", cell: (e) => eventTypes[e.type] },
            { head: "Type", cell: (e) => <code className="wrap-anywhere">{e.type}</code> },
            {
              head: "Deliveries",
              cell: (e) => (
                <Go to="/developers/deliveries" search={{ event_id: e.id }} className="above">
                  Deliveries
                </Go>
              ),
            },
            { head: "When", right: true, cell: (e) => <When value={e.created_at} /> },
          ]}
          empty={<Empty title="No events">It has no event of its own.</Empty>}
        />
      </Section>
      <Section title={`Requests of this ${kindOf(resource)}`} flush>
        <List
          of={requests}
          caption="Requests"
          id={(r) => r.id}
          to={(r) => `/developers/requests/${r.id}`}
          columns={columns.filter((c) => c.head !== "Resource")}
          empty={<Empty title="No requests" />}
        />
      </Section>
    </>
  );
}
