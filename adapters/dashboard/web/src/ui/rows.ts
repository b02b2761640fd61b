// The rows of a list by the keyboard.
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { keepOpened, openedOn } from "../api/trail";
import { useKeys } from "./keys";

/** useEntry returns the entry of the history that is shown. */
export function useEntry(): string {
  return useRouterState({ select: (s) => s.location.state.__TSR_key ?? "" });
}

/** useRows lets J and K move the focus through the rows of a table. It returns at, which returns
 *  the row that has the focus (-1 for none), and opens, which remembers the row that is opened.
 *  The focus goes to the row that begins says, else to the one that the person comes back from,
 *  and stays at its place when a row goes. */
export function useRows(
  table: string,
  ids: readonly string[],
  more: () => void,
  begins: () => number = () => -1,
): { at: () => number; opens: (id: string) => void } {
  const entry = useEntry();
  const last = useRef(-1);
  const came = useRef(""); // the entry on which the focus was set
  const rows = () => [
    ...(document.getElementById(table)?.querySelectorAll("tbody > tr:not(.more)") ?? []),
  ];
  const at = () => {
    const found = rows().findIndex((row) => row.contains(document.activeElement));
    if (found >= 0) last.current = found;
    return found;
  };
  const focus = (i: number, options?: FocusOptions) => {
    const all = rows();
    last.current = Math.max(0, Math.min(i, all.length - 1));
    const row = all[last.current];
    const link = row?.querySelector<HTMLElement>(".row-link");
    (link ?? row?.querySelector<HTMLElement>(".pick input"))?.focus(options);
    if (i >= all.length && all.length > 0) more();
  };
  useKeys({
    j: () => focus(at() < 0 ? last.current : at() + 1),
    k: () => focus(at() < 0 ? last.current : at() - 1),
  });
  const shown = useEffectEvent((first: boolean) => {
    const begin = begins();
    if (begin >= 0) return focus(begin);
    if (came.current !== entry) {
      came.current = entry;
      const found = ids.indexOf(openedOn(entry) ?? "");
      // A person who types is not interrupted. What is in the cache is where it was; what had to be
      // loaded is not.
      if (found >= 0 && document.activeElement?.matches("body, h1"))
        return focus(found, { preventScroll: first });
    }
    if (last.current >= 0 && document.activeElement === document.body) focus(last.current);
  });
  const before = useRef(true);
  const all = ids.join();
  // The focus is outside React: it is lost with the row that had it.
  useEffect(() => {
    const first = before.current;
    before.current = false;
    if (all) shown(first);
  }, [all]);
  return { at, opens: (id) => keepOpened(entry, id) };
}
