// What a person has typed on the page and not saved, and whether the page keeps it until a sign-in.

const parts = new Set<() => boolean>();

/** watchTyped counts a part of the page, which says whether something typed is in it, until the returned
 *  function is called. */
export function watchTyped(part: () => boolean): () => void {
  parts.add(part);
  return () => {
    parts.delete(part);
  };
}

/** typed reports whether the page has something that was typed and is not saved. */
export function typed(): boolean {
  return [...parts].some((part) => part());
}

/** isText reports whether a field takes typed text: a choice is soon made again. */
export function isText(field: EventTarget): boolean {
  return (
    field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement && !["file", "checkbox", "radio"].includes(field.type))
  );
}

let kept = false;
const listeners = new Set<() => void>();

/** isHeld reports whether the sign-in ended on a page with typed text. The page then stays in the memory of
 *  the tab, hidden, until the same person signs in again. */
export function isHeld(): boolean {
  return kept;
}

export function hold(is: boolean): void {
  kept = is;
  for (const f of listeners) f();
}

export function onHeld(changed: () => void): () => void {
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
  };
}
