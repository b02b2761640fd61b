// What programs did with a resource, and what they learned of it: its requests
// and its events, each of which leads to its deliveries.
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Schemas, useClient } from "../api/client";
import { screenOf } from "../shell/places";
import { eventTypes, kindOf, statusText, statusTone } from "./codes";
import { CopyAsCurl } from "./copy";
import { When } from "./format";
import { Go } from "./link";
import { Failure, Loading } from "./page";
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
    <Go to={place} className="above">
      {text}
    </Go>
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
  if (value === null)
    return (
      <span className="muted" aria-label="none">
        –
      </span>
    );
  return (
    <span className="numbers nowrap">
      {value < 1
        ? "under 1 ms"
        : value < 1000
          ? `${Math.round(value)} ms`
          : `${(value / 1000).toFixed(1)} s`}
    </span>
  );
}

/** Traces is the part of a resource's screen for developers. It loads when it is opened. */
export function Traces({ id, path }: { id: string; path: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="card traces no-print" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary className="row">
        <ChevronRight size={16} aria-hidden />
        <h2>Developer</h2>
      </summary>
      {open && <Traced id={id} path={path} />}
    </details>
  );
}

function Traced({ id, path }: { id: string; path: string }) {
  const { api } = useClient();
  const query = { resource_id: id, limit: 5 };
  const requests = api.useQuery("get", "/requests", { params: { query } });
  const events = api.useQuery("get", "/events", { params: { query } });
  return (
    <>
      <Few
        title="Requests"
        all={`/developers/requests?resource_id=${id}`}
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
                <When value={r.created_at} />
              </span>
            </span>
          </li>
        )}
      />
      <Few
        title="Events"
        all={`/developers/events?resource_id=${id}`}
        none="No event yet."
        of={events}
        row={(e: Schemas["Event"]) => (
          <li key={e.id} className="spread">
            <Go to={`/developers/events/${e.id}`}>{eventTypes[e.type]}</Go>
            <span className="row small">
              <Go to={`/developers/deliveries?event_id=${e.id}`}>Deliveries</Go>
              <span className="muted">
                <When value={e.created_at} />
              </span>
            </span>
          </li>
        )}
      />
      <div>
        <CopyAsCurl path={path} />
      </div>
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
  all: string;
  none: string;
  of: {
    data?: { data: T[]; next_cursor: string | null };
    error: unknown;
    isPending: boolean;
    refetch: () => unknown;
  };
  row: (item: T) => ReactNode;
}) {
  return (
    <div className="stack-s">
      <div className="spread">
        <h3>{title}</h3>
        {(of.data?.data.length ?? 0) > 0 && (
          <Go to={all} aria-label={`All ${title.toLowerCase()}`}>
            All
          </Go>
        )}
      </div>
      {of.isPending ? (
        <Loading rows={2} />
      ) : !of.data ? (
        <Failure
          error={of.error}
          retry={() => {
            of.refetch();
          }}
        />
      ) : of.data.data.length === 0 ? (
        <p className="muted">{none}</p>
      ) : (
        <ul className="plain stack-s">{of.data.data.map(row)}</ul>
      )}
    </div>
  );
}
