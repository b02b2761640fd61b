// The filters of a list: they are the address's, so that a link shows the same list.
import { useNavigate, useSearch } from "@tanstack/react-router";

export type Filters = Record<string, string | string[] | undefined>;

/** useFilters returns the filters of the address, and a function that changes some of them. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  return [
    filters,
    (change) =>
      void navigate({ to: ".", search: { ...filters, ...change } as never, replace: true }),
  ];
}

/** one returns a filter's single value. */
export function one(v: string | string[] | undefined): string | undefined {
  return Array.isArray(v) ? v[0] : v;
}

/** address returns a path with filters as its query. */
export function address(path: string, filters: Filters): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(filters))
    for (const one of [v ?? []].flat()) q.append(k, one);
  return q.size > 0 ? `${path}?${q}` : path;
}
