// The filters of a list, which are those of its address.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { readSearch, type Searched, type Searches } from "./searches";

/** useFilters returns the search parameters of a screen, and a function that changes some of them. */
export function useFilters<P extends Searched>(
  screen: P,
): [Searches[P], (change: Partial<Searches[P]>) => void] {
  const filters = readSearch(screen, useSearch({ strict: false }));
  const navigate = useNavigate();
  return [
    filters,
    (change) =>
      void navigate({
        to: ".",
        search: { ...filters, ...change } as Record<string, unknown>,
        replace: true,
      }),
  ];
}
