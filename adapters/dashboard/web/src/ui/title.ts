import { useEffect, useSyncExternalStore } from "react";

let shown = { path: "", title: "" };
let moved = false; // to another screen since the page was loaded
const listeners = new Set<() => void>();

/** useTitle names the page in the browser's tab, and tells those who listen. */
export function useTitle(title: string): void {
  // The document's title is outside React.
  useEffect(() => {
    document.title = `${title} · Molar`;
    shown = { ...shown, title };
    for (const f of listeners) f();
  }, [title]);
}

/** heading goes to the heading of a screen that a person has come to. The first screen of a page leaves the focus at
 *  the beginning. A heading that stands in place of one that has gone takes the focus from it. */
export function heading(path: string): (e: HTMLElement | null) => void {
  return (e) => {
    if (!e) return;
    const came = shown.path !== "" && shown.path !== path;
    moved ||= came;
    if (came || (moved && document.activeElement === document.body)) e.focus();
    shown = { ...shown, path };
  };
}

const listen = (changed: () => void) => {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
};

/** useArrival returns the title of the screen that a person came to; empty on the first one of the page. */
export function useArrival(): string {
  return useSyncExternalStore(listen, () => (moved ? shown.title : ""));
}
