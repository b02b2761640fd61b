// The way back to the list that a resource is in.
import { Link, useRouter, useRouterState } from "@tanstack/react-router";
import { useClient } from "../api/client";
import { parse } from "../api/searches";
import { lastOf, searchOf, trail } from "../api/trail";
import type { Place } from "../shell/places";
import { address } from "./link";

/** Back leads to a list as the person left it, with its filters and its place, if they were
 *  there in this tab. */
export function Back({ to, children }: { to: Place; children: string }) {
  const { mode } = useClient();
  const { history } = useRouter();
  const at = useRouterState({ select: (s) => s.location.state.__TSR_index });
  const way = trail();
  const list = lastOf(way, at, address(mode, to));
  return (
    <Link
      to={address(mode, to)}
      aria-label={`Back to ${children}`}
      search={list < 0 ? {} : parse(searchOf(way[list] ?? ""))}
      onClick={(e) => {
        if (list < 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
        e.preventDefault();
        history.go(list - at);
      }}
    >
      {children}
    </Link>
  );
}
