// Links inside the dashboard. A place is a path below the mode, such as
// "/claims/clm_...": the mode is the page's own.
import { Link, useNavigate } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ReactNode } from "react";
import { useClient } from "../api/client";

/** Go is a link to a place. */
export function Go({
  to,
  children,
  ...rest
}: { to: string; children: ReactNode } & Pick<
  AnchorHTMLAttributes<HTMLAnchorElement>,
  "className" | "aria-label" | "aria-current" | "title"
>) {
  const { mode } = useClient();
  return (
    <Link {...at(mode, to)} activeOptions={{ exact: true }} {...rest}>
      {children}
    </Link>
  );
}

/** useGo returns a function that leads to a place. */
export function useGo(): (to: string) => void {
  const { mode } = useClient();
  const navigate = useNavigate();
  return (to) => void navigate(at(mode, to));
}

/** at returns a place as the router names it. */
function at(mode: string, to: string): { to: "."; search: never } {
  const [path = "", query = ""] = to.split("?");
  const search: Record<string, string | string[]> = {};
  for (const key of new Set(new URLSearchParams(query).keys())) {
    const all = new URLSearchParams(query).getAll(key);
    search[key] = all.length > 1 ? all : all[0]!;
  }
  // The router knows its routes; places are built from IDs, so they are plain text here.
  return { to: `/${mode}${path}` as ".", search: search as never };
}
