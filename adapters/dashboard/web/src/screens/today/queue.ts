// The queue: the tasks of a list, one after the other. What it keeps, in the tab, are IDs and filters, no patient data.
import { useSyncExternalStore } from "react";
import { type Client, type Mode, useClient } from "../../api/client";
import type { Searches } from "../../api/searches";
import { paged } from "../../ui/table";

/** Queue is the list that one works through, and the task that one is at. */
export type Queue = {
  search: Searches["/"]; // the filters of the list
  task: string;
  resource: string; // that the task is about
  place: string; // its page
  actions: readonly string[]; // that the task allows
  at: number; // its place in the list
  writes: number; // that the page had made when the task was opened
};

const key = (mode: Mode) => `molar-queue-${mode}`;
const known = new Map<Mode, Queue | null>();
const listeners = new Set<() => void>();

const listen = (changed: () => void) => {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
};

function read(mode: Mode): Queue | null {
  const kept = known.get(mode);
  if (kept !== undefined) return kept;
  const stored = sessionStorage.getItem(key(mode));
  const found = stored ? (JSON.parse(stored) as Queue) : null;
  const queue = found?.place ? found : null; // a release before kept no page
  if (queue) queue.writes = 0; // those of the page before are not counted
  known.set(mode, queue);
  return queue;
}

/** keep stores the queue of a mode; null ends it. */
export function keep(mode: Mode, queue: Queue | null): void {
  known.set(mode, queue);
  if (queue) sessionStorage.setItem(key(mode), JSON.stringify(queue));
  else sessionStorage.removeItem(key(mode));
  for (const f of listeners) f();
}

/** useQueue returns the queue of the page's mode. */
export function useQueue(): Queue | null {
  const { mode } = useClient();
  return useSyncExternalStore(listen, () => read(mode));
}

/** writesOf counts the writes of the page that succeeded. What ends a task after one of them is
 *  the person's own doing. */
export function writesOf({ queries }: Client): number {
  return queries
    .getMutationCache()
    .findAll({ status: "success" })
    .reduce((last, m) => Math.max(last, m.mutationId), 0);
}

/** useTasks returns the list of tasks with the filters of Today. Tasks come by themselves with
 *  time, which is not on the stream. */
export function useTasks(search: Searches["/"]) {
  const { api } = useClient();
  return api.useInfiniteQuery(
    "get",
    "/tasks",
    { params: { query: { ...search, limit: 50 } } },
    { ...paged, refetchInterval: 60_000 },
  );
}
