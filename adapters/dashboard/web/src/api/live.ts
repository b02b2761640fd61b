// Live updates: one tab of the browser reads the stream of changes, the others
// follow it, and each drops what it shows of a changed resource.
import { useEffect, useState } from "react";
import { type Client, headers, meKey, root, useClient } from "./client";
import { type Change, listener, outdate, pause, shows } from "./stream";

/** Link is the state of the connection to the service. */
export type Link = "connecting" | "live" | "away";

type Said = { changes: Change[] } | { reset: true } | { link: Link };

/** reload marks all that was read before now. The requests under way end first: to begin them again would
 *  show the page later. What the page begins to read from now on is current. */
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
  // The stream, the other tabs and the browser's lock are outside React.
  useEffect(() => {
    const stop = new AbortController();
    const channel = new BroadcastChannel(`molar-live-${client.mode}`);
    const hear = (said: Said) => {
      if ("changes" in said) outdate(client.queries, shows(said.changes));
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

/** lead reads the stream until the page is left, and connects again when it breaks. It goes on where the
 *  last leader of this browser ended: the other tabs have heard all before, and a page that loads now
 *  reads all its resources later. */
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
      const hear = listener();
      const text = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await text.read();
        if (done) break;
        const heard = hear(value);
        if (heard.reset) share({ reset: true });
        if (heard.changes.length > 0) share({ changes: heard.changes });
        if (!heard.last) continue;
        last = heard.last;
        localStorage.setItem(mark, last);
      }
    } catch {
      if (stop.aborted) return;
      if (failures > 0) share({ link: "away" });
    }
    await new Promise((done) => setTimeout(done, pause(failures)));
  }
}
