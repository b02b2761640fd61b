// Links inside the dashboard. They stay in the mode of the page.
import { Link, useNavigate } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ReactNode } from "react";
import { useClient } from "../api/client";
import type { AnyTarget, Place, Target } from "../shell/places";

type LinkProps = Pick<
  AnchorHTMLAttributes<HTMLAnchorElement>,
  "className" | "aria-label" | "aria-current" | "title" | "onClick"
> & {
  below?: boolean;
  replace?: boolean;
  children: ReactNode;
  "data-act"?: string | undefined;
  "data-of"?: string;
};

/** Go is a link to a place. With below, it is the current one on the screens below the place, too. */
export function Go<P extends Place>({ to, search, ...rest }: Target<P> & LinkProps) {
  return <Anchor to={to} search={search} {...rest} />;
}

/** GoTo is a link to a target that is known only when the program runs. */
export function GoTo({ target: { to, search }, ...rest }: { target: AnyTarget } & LinkProps) {
  return <Anchor to={to} search={search} {...rest} />;
}

function Anchor({
  to,
  search,
  below,
  ...rest
}: { to: Place; search: object | undefined } & LinkProps) {
  const { mode } = useClient();
  return (
    <Link
      to={address(mode, to)}
      search={{ ...search }}
      activeOptions={{ exact: !below, includeSearch: !below }}
      {...rest}
    />
  );
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    arrives?: boolean; // what the person waited for is on the screen, which takes the focus
  }
}

/** useGo returns a function that leads to a place. */
export function useGo(): (
  to: Place | AnyTarget,
  state?: { arrives: true } | { opens: number },
) => void {
  const { mode } = useClient();
  const navigate = useNavigate();
  return (target, state) => {
    const { to, search = {} } = typeof target === "string" ? { to: target } : target;
    void navigate({ to: address(mode, to), search: { ...search }, state: { ...state } });
  };
}

/** address returns the path of a place in a mode. */
export function address(mode: string, place: Place): string {
  return place === "/" ? `/${mode}` : `/${mode}${place}`;
}
