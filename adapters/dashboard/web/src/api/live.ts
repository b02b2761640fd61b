// Live updates: one tab of the browser reads the stream of changes, the others
// follow it, and each drops what it shows of a changed resource.
import { createParser } from "eventsource-parser";
import { useEffect, useState } from "react";
import { type Client, headers, meKey, root, type Schemas, useClient } from "./client";

/** Change is a resource that changed. */
export type Change = Schemas["Change"];

/** Link is the state of the connection to the service. */
export type Link = "connecting" | "live" | "away";

type Said = { changes: Change[] } | { reset: true } | { link: Link };

/** paths lists the beginnings of the paths that show a kind of resource. */
const paths: Record<Change["object"], string[]> = {
  eligibility_check: ["/eligibility", "/patients", "/summary"],
  claim: ["/claims", "/patients", "/batches", "/summary", "/requests"],
  attachment: ["/attachments", "/claims", "/payer_requests"],
  payer_request: ["/payer_requests", "/attachments", "/summary"],
  batch: ["/batches"],
  era: ["/eras", "/quarantine", "/summary"],
  event: ["/events", "/requests", "/webhook_deliveries"],
  webhook_delivery: ["/webhook_deliveries", "/events", "/webhook_endpoints"],
  webhook_endpoint: ["/webhook_endpoints", "/webhook_deliveries", "/summary"],
  office: ["/offices", "/me"],
  provider: ["/providers"],
  enrollment: ["/enrollments", "/claims"],
};

/** apply marks the queries that show changed resources, so that visible ones load again. */
export function apply(client: Client, changes: Change[]): void {
  const begins = new Set(changes.flatMap((c) => paths[c.object]));
  void client.queries.invalidateQueries({
    predicate: ({ queryKey }) =>
      typeof queryKey[1] === "string" &&
      [...begins].some((b) => (queryKey[1] as string).startsWith(b)),
  });
}

/** reload marks all that was read before now. The requests under way end first: to begin them again would show the page
 *  later. What the page begins to read from now on is current. */
async function reload(client: Client): Promise<void> {
  const before = client.queries.getQueryCache().getAll();
  await Promise.allSettled(
    before.map((q) => (q.state.fetchStatus === "fetching" ? q.promise : undefined)),
  );
  await new Promise((shown) => setTimeout(shown, 300));
  const read = new Set(before.map((q) => q.queryHash));
  await client.queries.invalidateQueries({ predicate: (q) => read.has(q.queryHash) });
}

/** useLive keeps the page current while it is shown, and returns the state of the connection. */
export function useLive(): Link {
  const client = useClient();
  const [link, setLink] = useState<Link>("connecting");
  useEffect(() => {
    const stop = new AbortController();
    const channel = new BroadcastChannel(`molar-live-${client.mode}`);
    const hear = (said: Said) => {
      if ("changes" in said) apply(client, said.changes);
      else if ("reset" in said) void reload(client);
      else setLink(said.link);
    };
    channel.onmessage = (e: MessageEvent<Said>) => hear(e.data);
    const share = (said: Said) => {
      if (stop.signal.aborted) return;
      hear(said);
      channel.postMessage(said);
    };
    // The tab that holds the lock leads. The browser passes it on when the tab ends.
    navigator.locks
      .request(`molar-live-${client.mode}`, { signal: stop.signal }, () =>
        lead(client, stop.signal, share),
      )
      .catch(() => undefined); // the page is left
    return () => {
      stop.abort();
      channel.close();
      void client.queries.invalidateQueries({ refetchType: "none" }); // what changes now is not heard
    };
  }, [client]);
  return link;
}

/** lead reads the stream until the page is left, and connects again when it breaks. It goes on where the last leader of
 *  this browser ended: the other tabs have heard all before, and a page that loads now reads all its resources later. */
async function lead(client: Client, stop: AbortSignal, share: (said: Said) => void): Promise<void> {
  const mark = `molar-live-${client.mode}`;
  let last = localStorage.getItem(mark) ?? "";
  for (let failures = 0; !stop.aborted; failures++) {
    try {
      const reply = await fetch(`${root}/stream`, {
        headers: {
          ...headers(client.mode),
          "Molar-Background": "true",
          Accept: "text/event-stream",
          ...(last && { "Last-Event-ID": last }),
        },
        signal: stop,
      });
      // The session has ended, or needs a second factor: a request of the page finds out, and says so.
      if (reply.status === 401 || reply.status === 403)
        await client.queries.invalidateQueries({ queryKey: meKey });
      if (!reply.ok || !reply.body) throw new Error(`the stream replied ${reply.status}`);
      share({ link: "live" });
      failures = 0;
      let gathered: Change[] = [];
      const parser = createParser({
        onEvent(e) {
          if (e.event === "reset") share({ reset: true });
          else if (e.data) gathered.push(JSON.parse(e.data) as Change);
        },
      });
      let rest = ""; // of what came, after the last whole event
      const text = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await text.read();
        if (done) break;
        parser.feed(value);
        if (gathered.length > 0) {
          share({ changes: gathered });
          gathered = [];
        }
        rest += value;
        const end = rest.lastIndexOf("\n\n") + 1;
        const id = [...rest.slice(0, end).matchAll(/^id: (.+)$/gm)].at(-1)?.[1]; // a comment has one, too
        rest = rest.slice(end);
        if (id) localStorage.setItem(mark, (last = id));
      }
    } catch {
      if (stop.aborted) return;
      if (failures > 0) share({ link: "away" });
    }
    await new Promise((done) => setTimeout(done, Math.min(500 * 2 ** failures, 5_000)));
  }
}
