// What a person has typed on the page and not saved, and whether the page keeps it until a sign-in.

const parts = new Map<() => boolean, string>();

/** notSaved says that typed text would be lost. */
export const notSaved = "What you entered is not saved.";

/** watchTyped counts a part of the page, which says whether something typed is in it, until the returned
 *  function is called. Lost says in a sentence what would be lost. */
export function watchTyped(part: () => boolean, lost = notSaved): () => void {
  parts.set(part, lost);
  return () => {
    parts.delete(part);
  };
}

/** losing says in a sentence what leaving the page would lose; null for nothing. */
export function losing(): string | null {
  return [...parts].find(([part]) => part())?.[1] ?? null;
}

/** typed reports whether the page has something that was typed and is not saved. */
export function typed(): boolean {
  return losing() !== null;
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
