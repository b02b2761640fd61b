// What programs did with a resource, and what they learned of it: its requests
// and its events, each of which leads to its deliveries.
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Schemas, useClient } from "../api/client";
import { type AnyTarget, screenOf } from "../shell/places";
import { eventTypes, kindOf, statusText, statusTone } from "./codes";
import { None, When } from "./format";
import { Go, GoTo } from "./link";
import { Read, type Reading } from "./page";
import { Badge } from "./state";

/** ResourceLink leads to a resource, and says what it is. */
export function ResourceLink({ id }: { id: string }) {
  const place = screenOf(id);
  const text = (
    <>
      {kindOf(id)} <code className="wrap-anywhere">{id}</code>
    </>
  );
  return place ? (
    <GoTo target={place} className="above">
      {text}
    </GoTo>
  ) : (
    <span>{text}</span>
  );
}

/** StatusCode shows an HTTP status with its meaning. */
export function StatusCode({
  value,
  none = "No reply recorded",
}: {
  value: number | null;
  none?: string;
}) {
  return <Badge tone={statusTone(value)}>{value === null ? none : statusText(value)}</Badge>;
}

/** Operation shows a method and a path of the API. */
export function Operation({ value }: { value: string }) {
  const [method, path] = value.split(" ");
  return (
    <code className="wrap-anywhere">
      <b>{method}</b> {path}
    </code>
  );
}

/** Milliseconds shows a duration. */
export function Milliseconds({ value }: { value: number | null }) {
  if (value === null) return <None />;
  return <span className="numbers nowrap">{duration(value)}</span>;
}

function duration(ms: number): string {
  if (ms < 1) return "under 1 ms";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Traces is the part of a resource's screen for developers. It loads when it is opened. */
export function Traces({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="card traces no-print" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary className="row">
        <ChevronRight size={16} aria-hidden />
        <h2>Developer</h2>
      </summary>
      {open && <Traced id={id} />}
    </details>
  );
}

function Traced({ id }: { id: string }) {
  const { api } = useClient();
  const query = { resource_id: id, limit: 5 };
  const requests = api.useQuery("get", "/requests", { params: { query } });
  const events = api.useQuery("get", "/events", { params: { query } });
  return (
    <>
      <Few
        title="Requests"
        all={{ to: "/developers/requests", search: { resource_id: id } }}
        none="No program has read or changed it with an API key."
        of={requests}
        row={(r: Schemas["LoggedRequest"]) => (
          <li key={r.id} className="spread">
            <Go to={`/developers/requests/${r.id}`}>
              <Operation value={r.operation} />
            </Go>
            <span className="row">
              <StatusCode value={r.status} />
              <span className="muted small">
                <When value={r.created_at} real />
              </span>
            </span>
          </li>
        )}
      />
      <Few
        title="Events"
        all={{ to: "/developers/events", search: { resource_id: id } }}
        none="No event yet."
        of={events}
        row={(e: Schemas["Event"]) => (
          <li key={e.id} className="spread">
            <Go to={`/developers/events/${e.id}`}>{eventTypes[e.type]}</Go>
            <span className="row small">
              <Go to="/developers/deliveries" search={{ event_id: e.id }}>
                Deliveries
              </Go>
              <span className="muted">
                <When value={e.created_at} />
              </span>
            </span>
          </li>
        )}
      />
    </>
  );
}

function Few<T>({
  title,
  all,
  none,
  of,
  row,
}: {
  title: string;
  all: AnyTarget;
  none: string;
  of: Reading<{ data: T[] }>;
  row: (item: T) => ReactNode;
}) {
  return (
    <div className="stack-s">
      <div className="spread">
        <h3>{title}</h3>
        {(of.data?.data.length ?? 0) > 0 && (
          <GoTo target={all} aria-label={`All ${title.toLowerCase()}`}>
            All
          </GoTo>
        )}
      </div>
      <Read of={of} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{none}</p>
          ) : (
            <ul className="plain stack-s">{data.map(row)}</ul>
          )
        }
      </Read>
    </div>
  );
}
