// The way of the tab through the dashboard, so that a list is found again as it was left. Addresses
// hold no patient data and outlast a reload; what was searched for, and the row that was opened,
// are in the memory of the tab alone.

/** Trail has the addresses of the tab's history, by their places in it. */
export type Trail = readonly (string | null | undefined)[];

/** lastOf returns the place of the last address before another that has a path; -1 for none. */
export function lastOf(trail: Trail, before: number, path: string): number {
  for (let i = Math.min(before, trail.length) - 1; i >= 0; i--)
    if (trail[i]?.split(/[?#]/)[0] === path) return i;
  return -1;
}

/** searchOf returns the part of an address behind its path. */
export function searchOf(address: string): string {
  return /\?[^#]*/.exec(address)?.[0] ?? "";
}

const stored = "molar-trail";
let known: (string | null | undefined)[] | undefined;

/** trail returns the way of the tab. */
export function trail(): Trail {
  if (known) return known;
  try {
    known = JSON.parse(sessionStorage.getItem(stored) ?? "[]") as string[];
  } catch {
    known = [];
  }
  return known;
}

/** pass remembers the address at a place. Only the places before the one that is shown count:
 *  those are the history. */
export function pass(at: number, address: string): void {
  const way = trail().slice();
  way[at] = address;
  known = way;
  sessionStorage.setItem(stored, JSON.stringify(way));
}

const searched = new Map<string, string>();
const opened = new Map<string, string>();

/** keepSearched remembers what was searched for on an entry of the history. */
export function keepSearched(entry: string, text: string): void {
  searched.set(entry, text);
}

/** searchedOn returns what was searched for on an entry of the history. */
export function searchedOn(entry: string): string {
  return searched.get(entry) ?? "";
}

/** keepOpened remembers the row that was opened on an entry of the history. */
export function keepOpened(entry: string, id: string): void {
  opened.set(entry, id);
}

/** openedOn returns the row that was opened on an entry of the history. */
export function openedOn(entry: string): string | undefined {
  return opened.get(entry);
}

/** forgetTrail forgets what may be about patients, such as at the end of a session. */
export function forgetTrail(): void {
  searched.clear();
  opened.clear();
}
