// Leaving a form with something in it that is not saved.
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";

/** useLeaving asks before what was entered is lost. A session that ends is not asked about: nothing may
 *  be kept then. */
export function useLeaving(unsaved: () => boolean): { dialog: ReactNode; mayLeave: () => void } {
  const free = useRef(false);
  const blocks = () => !free.current && unsaved();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ next }) => (next as { pathname: string }).pathname !== "/sign-in" && blocks(),
    enableBeforeUnload: blocks,
    withResolver: true,
  });
  return {
    mayLeave: () => {
      free.current = true;
      setTimeout(() => {
        free.current = false;
      }, 500);
    },
    dialog: (
      <Modal
        title="Leave without saving?"
        open={status === "blocked"}
        onOpenChange={(o) => {
          if (!o) reset?.();
        }}
      >
        <div className="stack">
          <p>What you entered is not saved.</p>
          <div className="dialog-actions">
            <Button onClick={() => reset?.()}>Stay</Button>
            <Button look="danger" onClick={() => proceed?.()}>
              Leave
            </Button>
          </div>
        </div>
      </Modal>
    ),
  };
}
