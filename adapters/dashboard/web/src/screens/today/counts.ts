// How many tasks are open, beside the names of the filters.
import type { Schemas } from "../../api/client";
import type { Searches } from "../../api/searches";

export type Counts = Schemas["TaskCounts"];
export type Count = Schemas["BoundedCount"];
type Filters = Searches["/"];

/** upTo shows a count, which ends at 10,000. */
export const upTo = ({ count, more }: Count) =>
  `${count.toLocaleString("en-US")}${more ? "+" : ""}`;

/** wholeBut reports whether a filter alone narrows the list. The counts are of all open tasks, so a list that is
 *  narrowed otherwise, or has others, shows none. */
export const wholeBut = (by: "kind" | "office_id" | "payer_id", of: Filters): boolean =>
  !of.state &&
  !of.assignee &&
  (["kind", "office_id", "payer_id"] as const).every((f) => f === by || !of[f]);

/** officesCounted returns the options of the filter by office, with their counts. */
export const officesCounted = (
  offices: readonly Pick<Schemas["Office"], "id" | "name">[],
  counts: Counts | undefined,
): (readonly [id: string, name: string])[] => [
  ["", "All offices"],
  ...offices.map(({ id, name }) => {
    const none = counts?.offices && { count: 0, more: false };
    const n = counts?.offices?.[id] ?? none;
    return [id, n ? `${name} (${upTo(n)})` : name] as const;
  }),
];

/** tasksOf says how many tasks of a payer are open; nothing for one that is not among those with the most. */
export function tasksOf(id: string, counts: Counts | undefined): string {
  const found = counts?.payers?.find((p) => p.payer.id === id);
  if (!found) return "";
  return `${upTo(found)} ${found.count === 1 && !found.more ? "task" : "tasks"}`;
}

type Stake = Pick<Schemas["Task"], "amount" | "resource">;

/** atStake returns what a task adds to the total of its list. Two tasks about one amount of a resource add it once. */
export function atStake(t: Stake, at: number, all: readonly Stake[]): string | null {
  const same = (o: Stake) => o.resource.id === t.resource.id && o.amount === t.amount;
  return all.findIndex(same) === at ? t.amount : null;
}
