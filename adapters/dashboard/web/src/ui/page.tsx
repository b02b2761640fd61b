// The parts that every screen has: its head, sections, facts, and what it shows
// while it loads, when it is empty and when something failed.

import { useRouterState } from "@tanstack/react-router";
import { AlertTriangle, ChevronDown } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { isAPIError, said, Unreachable } from "../api/client";
import type { Place } from "../shell/places";
import { Button } from "./button";
import { useCopyAsCurl } from "./copy";
import { useDownload } from "./download";
import { None } from "./format";
import { Go } from "./link";
import { type MenuItem, More } from "./menu";
import { heading, useTitle } from "./title";

/** attend goes to what has just appeared. */
export function attend(e: HTMLElement | null): void {
  e?.focus();
}

/** Page is a screen: its title, what one can do, and its content. */
export function Page({
  title,
  above,
  about,
  actions,
  more = [],
  curl,
  list,
  printed,
  children,
}: {
  title: string;
  above?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  more?: MenuItem[]; // what one does rarely
  curl?: string; // the path of what one looks at; a screen that only a session may read has none
  list?: string; // the path of the list that one looks at, to keep as a file
  printed?: ReactNode; // at the top of each sheet of paper
  children: ReactNode;
}) {
  useTitle(title);
  const copy = useCopyAsCurl();
  const keep = useDownload();
  const at = curl ?? list;
  const rare = [
    ...more,
    ...(list ? [{ label: "Download as CSV", onSelect: () => keep(list) }] : []),
    ...(at ? [{ label: "Copy as curl", onSelect: () => copy(at) }] : []),
  ];
  const path = useRouterState({ select: (s) => s.location.pathname });
  const arrives = useRouterState({ select: (s) => s.location.state.arrives });
  const reach = useMemo(() => (arrives ? attend : heading(path)), [arrives, path]);
  return (
    <div className="page">
      {printed && <div className="page-printed">{printed}</div>}
      <header className="page-head">
        <div className="page-title">
          {above && <div className="page-above no-print">{above}</div>}
          <h1 ref={reach} tabIndex={-1}>
            {title}
          </h1>
          {about && <div className="page-about">{about}</div>}
        </div>
        {(actions || rare.length > 0) && (
          <div className="row no-print">
            {rare.length > 0 && (
              <More items={rare} label="More actions">
                More
                <ChevronDown size={16} aria-hidden />
              </More>
            )}
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  );
}

/** Parts are the parts of a screen, as tabs that lead to each other. */
export function Parts({
  label,
  items,
}: {
  label: string;
  items: readonly (readonly [name: string, place: Place])[];
}) {
  const path = useRouterState({ select: (s) => s.location.pathname.replace(/^\/[^/]*/, "") });
  return (
    <nav className="tabs parts no-print" aria-label={label}>
      {items.map(([name, place]) => (
        <Go
          key={place}
          to={place}
          className="tab"
          aria-current={path === place ? "page" : undefined}
        >
          {name}
        </Go>
      ))}
    </nav>
  );
}

/** Section is a titled card of a screen. */
export function Section({
  title,
  actions,
  children,
  flush,
  id,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  flush?: boolean;
  id?: string;
}) {
  return (
    <section className={`card${flush ? " card-flush" : ""}`} id={id}>
      {title && (
        <div className="card-head">
          <h2>{title}</h2>
          {actions && <div className="row no-print">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** Facts lists what is known as names and values. */
export function Facts({ items }: { items: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <None />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Empty says that a list has nothing, and what to do. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <p className="muted">{children}</p>}
      {action && <div className="row">{action}</div>}
    </div>
  );
}

/** Failure says why something could not be loaded, with the ID of the request. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const missing = isAPIError(error) && error.error === "NOT_FOUND";
  return (
    <div className="failure" role="alert">
      <AlertTriangle size={20} aria-hidden />
      <div>
        <p className="strong">
          {missing
            ? "This is not here. It may belong to the other mode, or the address is wrong."
            : why(error)}
        </p>
        {isAPIError(error) && (
          <p className="muted small">
            Request <code>{error.request_id}</code>
          </p>
        )}
      </div>
      {retry && !missing && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** why returns in one sentence why a request failed. */
export function why(error: unknown): string {
  if (isAPIError(error)) return said(error);
  if (error instanceof Unreachable) return error.message;
  return "This page could not show what it loaded. Load it again.";
}

/** Loading holds the place of rows that are being loaded, so that nothing jumps. */
export function Loading({ rows = 8, height }: { rows?: number; height?: string }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className="bone" style={{ height }} />
      ))}
    </div>
  );
}

/** Reading is what useQuery returns. */
export type Reading<T> = {
  data?: T;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
};

/** useCurrent returns a query that loads until its data are current. A form that began from what the
 *  page had kept would meet its own person's earlier change as another's. Later changes do not hide it. */
export function useCurrent<T>(of: Reading<T> & { isFetching: boolean }): Reading<T> {
  const [current, setCurrent] = useState(false);
  if (!current && of.data !== undefined && !of.isFetching) setCurrent(true);
  if (current) return of;
  return { error: of.error, isPending: of.isPending || of.isFetching, refetch: of.refetch };
}

/** Read shows what a query returned, and what stands for it while it loads or when it failed. In a
 *  card, what stands for it is a section. */
export function Read<T>({
  of,
  rows,
  card,
  children,
}: {
  of: Reading<T>;
  rows: number;
  card?: boolean;
  children: (data: T) => ReactNode;
}) {
  if (of.data !== undefined) return children(of.data);
  const stands = of.isPending ? (
    <Loading rows={rows} />
  ) : (
    <Failure error={of.error} retry={() => void of.refetch()} />
  );
  return card ? <Section flush={!of.isPending}>{stands}</Section> : stands;
}

/** Waiting stands for a screen while what it shows loads, or when that failed. */
export function Waiting({
  title,
  rows,
  of,
}: {
  title: string;
  rows: number;
  of: Omit<Reading<unknown>, "data">;
}) {
  return (
    <Page title={title}>
      <Read card of={of} rows={rows}>
        {() => null}
      </Read>
    </Page>
  );
}

/** Notice is a message inside a screen. */
export function Notice({
  tone = "info",
  title,
  children,
  action,
}: {
  tone?: "info" | "warn" | "bad" | "good";
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`notice tone-${tone}`}>
      <div className="stack-s">
        {title && <p className="strong">{title}</p>}
        {children && <div>{children}</div>}
      </div>
      {action && <div className="row no-print">{action}</div>}
    </div>
  );
}
