// The stream of changes as text: what its events say, and which queries they concern.
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { createParser } from "eventsource-parser";
import type { Schemas } from "./client";

/** Change is a resource that changed. */
export type Change = Schemas["Change"];

/** Heard is what a piece of the stream says: changes, that all may have changed, and the ID of its last
 *  whole event, from which a later reader goes on. */
export type Heard = { reset: boolean; changes: Change[]; last: string | undefined };

/** listener returns a function that takes the stream piece by piece, cut anywhere. */
export function listener(): (text: string) => Heard {
  let heard: Heard = { reset: false, changes: [], last: undefined };
  let rest = ""; // of what came, after the last whole event
  const parser = createParser({
    onEvent(e) {
      if (e.event === "reset") heard.reset = true;
      else if (e.data) heard.changes.push(JSON.parse(e.data) as Change);
    },
  });
  return (text) => {
    heard = { reset: false, changes: [], last: undefined };
    parser.feed(text);
    rest += text;
    const end = rest.lastIndexOf("\n\n") + 1;
    // A comment has an ID, too, and the parser does not report it.
    heard.last = [...rest.slice(0, end).matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
    rest = rest.slice(end);
    return heard;
  };
}

/** paths lists the beginnings of the paths that show a kind of resource. */
const paths: Record<Change["object"], string[]> = {
  eligibility_check: ["/eligibility", "/patients", "/summary"],
  claim: ["/claims", "/tasks", "/patients", "/batches", "/summary", "/requests", "/sandbox/clock"],
  attachment: ["/attachments", "/tasks", "/claims", "/payer_requests", "/patients"],
  payer_request: ["/payer_requests", "/tasks", "/claims", "/attachments", "/summary", "/patients"],
  batch: ["/batches", "/sandbox/clock"],
  deposit: ["/deposits", "/eras", "/tasks"],
  era: ["/eras", "/deposits", "/tasks", "/quarantine", "/summary"],
  quarantined_file: ["/quarantine", "/tasks", "/summary"],
  event: ["/events", "/requests", "/webhook_deliveries", "/sandbox/clock"],
  webhook_delivery: ["/webhook_deliveries", "/events", "/webhook_endpoints"],
  webhook_endpoint: ["/webhook_endpoints", "/webhook_deliveries", "/summary"],
  office: ["/offices", "/me"],
  provider: ["/providers"],
  enrollment: ["/enrollments", "/tasks", "/claims"],
  connection: ["/tasks", "/summary"],
  sandbox_clock: ["/"], // another day, or, after a reset, nothing that a page shows
};

/** shows returns a function that reports whether the query with a key shows one of the changes. */
export function shows(changes: readonly Change[]): (key: readonly unknown[]) => boolean {
  const begins = [...new Set(changes.flatMap((c) => paths[c.object]))];
  return ([, path]) => typeof path === "string" && begins.some((b) => path.startsWith(b));
}

/** outdate marks the queries that a change concerns, so that visible ones load again. A query that loads for
 *  the first time may be answered from before the change: it is marked when it has loaded. */
export function outdate(queries: QueryClient, changed: (key: QueryKey) => boolean): void {
  const first = (state: { data: unknown; fetchStatus: string }) =>
    state.data === undefined && state.fetchStatus === "fetching";
  for (const q of queries.getQueryCache().findAll({ predicate: (q) => changed(q.queryKey) })) {
    const again = () => void queries.invalidateQueries({ queryKey: q.queryKey, exact: true });
    if (first(q.state)) q.promise?.then(again, again);
    else again();
  }
}

/** pause returns how long to wait before a connection is tried again, after failures in a row. */
export function pause(failures: number): number {
  return Math.min(500 * 2 ** failures, 5_000);
}
