// Dialogs that Ctrl-K opens on the screens that have them.
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { AnyTarget, Place } from "../shell/places";
import { useGo } from "./link";

declare module "@tanstack/react-router" {
  interface HistoryState {
    opens?: number; // the dialog of the screen opens; the number is that of pending
  }
}

// What was asked for and is not open yet. The history keeps its number, which opens nothing again
// after a reload or on the way back.
const pending: { number?: number | undefined; on?: Place } = {};

/** useOpen returns a function that leads to a screen and opens its dialog. */
export function useOpen(): (target: AnyTarget) => void {
  const go = useGo();
  return (target) => {
    pending.number = Math.random();
    pending.on = target.to;
    go(target, { opens: pending.number });
  };
}

/** useOpening is whether the dialog of a screen is open: by its button, or by useOpen. */
export function useOpening(on: Place): [boolean, (open: boolean) => void] {
  const asked = useRouterState({ select: (s) => s.location.state.opens });
  const [open, setOpen] = useState(false);
  useEffect(() => {
    // The screen that one leaves sees the number, too.
    if (asked === undefined || asked !== pending.number || on !== pending.on) return;
    pending.number = undefined;
    setOpen(true);
  }, [asked, on]);
  return [open, setOpen];
}
