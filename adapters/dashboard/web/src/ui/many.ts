// One act for many rows: a request for each, a few at a time, and what came of each in words.

/** Outcome is how far a row is. One that is left was not tried, for a reason that a person can
 *  do something about. */
export type Outcome = { state: "waiting" | "sent" | "done" | "failed" | "left"; says: string };

/** Left is thrown for a row that is left as it is; its message says why. */
export class Left extends Error {}

/** perform acts on rows in their order, at most some at a time, and reports how far each is.
 *  Once stopped says so, it begins no other. */
export async function perform<T>(
  rows: readonly T[],
  atOnce: number,
  act: (row: T) => Promise<Outcome>,
  report: (row: T, outcome: Outcome) => void,
  stopped: () => boolean,
): Promise<void> {
  const waiting = [...rows];
  const work = async () => {
    while (waiting.length > 0 && !stopped()) {
      const row = waiting.shift() as T;
      report(row, { state: "sent", says: "" });
      report(row, await act(row));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, rows.length) }, work));
  for (const row of waiting) report(row, { state: "left", says: "Stopped before it began." });
}

/** patiently sends until a reply comes, or a refusal that another try would not change. */
export async function patiently<R>(
  send: () => Promise<R>,
  again: (e: unknown, tries: number) => boolean,
  wait: (tries: number) => Promise<void>,
): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (e) {
      if (!again(e, tries)) throw e;
    }
    await wait(tries);
  }
}

/** tally says how many rows an act has done, and what became of the others. */
export function tally(outcomes: readonly Outcome[], did: string): string {
  const n = (state: Outcome["state"]) => outcomes.filter((o) => o.state === state).length;
  const parts = [
    `${n("done").toLocaleString("en-US")} of ${outcomes.length.toLocaleString("en-US")} ${did}`,
    n("failed") > 0 && `${n("failed").toLocaleString("en-US")} failed`,
    n("left") > 0 &&
      `${n("left").toLocaleString("en-US")} left as ${n("left") === 1 ? "it is" : "they are"}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** between returns the IDs of a list from one to another, both included, whichever comes first. */
export function between(ids: readonly string[], one: string, other: string): string[] {
  const [a, b] = [ids.indexOf(one), ids.indexOf(other)];
  if (a < 0 || b < 0) return [other];
  return ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}
