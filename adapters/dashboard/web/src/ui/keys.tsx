// Single keys that act on the screen. They do nothing while one types, chooses in a menu or has a dialog open, and a
// person can turn them off, since speech input and some screen readers press letters, too.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

const stored = "molar-keys";
const listeners = new Set<() => void>();

/** useKeysOn returns whether single keys act in this browser, and a function that turns them on or off. */
function useKeysOn(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
      };
    },
    () => localStorage.getItem(stored) !== "off",
  );
  return [
    on,
    (now) => {
      localStorage.setItem(stored, now ? "on" : "off");
      for (const f of listeners) f();
    },
  ];
}

/** useKeys lets single keys act while the caller is on the page. */
export function useKeys(keys: Record<string, () => void>): void {
  const [on] = useKeysOn();
  const press = useEffectEvent((e: KeyboardEvent) => {
    const act = keys[e.key.toLowerCase()];
    if (!act || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || busy(e.target)) return;
    e.preventDefault();
    act();
  });
  // The keyboard is the window's.
  useEffect(() => {
    if (!on) return;
    const listen = (e: KeyboardEvent) => press(e);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [on]);
}

/** useChords lets keys act that are pressed with Ctrl or Command, wherever the focus is while no dialog is open. */
export function useChords(keys: Record<string, () => void>): void {
  const press = useEffectEvent((e: KeyboardEvent) => {
    const act = keys[e.key.toLowerCase()];
    if (!act || e.defaultPrevented || !(e.ctrlKey || e.metaKey)) return;
    if (document.querySelector(".dialog")) return;
    e.preventDefault();
    act();
  });
  // The keyboard is the window's.
  useEffect(() => {
    const listen = (e: KeyboardEvent) => press(e);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

const fields = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** busy reports whether keys belong to a field, a menu or a dialog. */
function busy(at: EventTarget | null): boolean {
  if (document.querySelector(".dialog, .drawer, [role=menu], [role=listbox]")) return true;
  return at instanceof HTMLElement && at.matches(fields);
}

/** Keys shows the keys of the screen, and turns them off. */
export function Keys({ of }: { of: readonly (readonly [key: string, does: string])[] }) {
  const [on, turn] = useKeysOn();
  return (
    <p className="keys no-print">
      {on
        ? of.map(([key, does]) => (
            <span key={key}>
              <kbd>{key}</kbd> {does}
            </span>
          ))
        : "Keys are off."}
      <button type="button" className="link-button" onClick={() => turn(!on)}>
        {on ? "Turn keys off" : "Turn keys on"}
      </button>
    </p>
  );
}
