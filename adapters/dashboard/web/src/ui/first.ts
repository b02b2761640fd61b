// The order of what was used last and what is found.
const most = 5;

/** before returns values with one of them first, at most five of them. */
export function before<T extends { id: string }>(first: T, rest: readonly T[]): T[] {
  return [first, ...rest.filter((r) => r.id !== first.id)].slice(0, most);
}

/** first returns found values in their order, behind those that were used last and are found, too. Without a search,
 *  all that were used last count as found. */
export function first<T extends { id: string }>(
  used: readonly T[],
  found: readonly T[],
  searched: boolean,
): T[] {
  const on = new Map(found.map((f) => [f.id, f]));
  const head = used.filter((u) => !searched || on.has(u.id)).map((u) => on.get(u.id) ?? u);
  return [...head, ...found.filter((f) => !head.some((h) => h.id === f.id))];
}
