import { Dialog } from "@base-ui/react/dialog";
import { useBlocker } from "@tanstack/react-router";
import { X } from "lucide-react";
import {
  type FormEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { isHeld, isText, notSaved, watchTyped } from "../api/typed";
import { Button } from "./button";
import { AreaField } from "./form";
import { useToast } from "./toast";

/** Modal is a dialog over the page. It asks before it closes with something typed in it. Ctrl+Enter sends its form. */
export function Modal({
  title,
  open,
  onOpenChange,
  children,
  wide,
  ownFocus,
  first,
  forgets,
  saved,
}: {
  title: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
  wide?: boolean;
  ownFocus?: boolean; // what is inside takes the focus, else its first part gets it
  first?: string; // selects what gets the focus; it goes back to where it was
  forgets?: boolean; // what is typed inside is in the page at once, or a search
  saved?: RefObject<boolean>; // what was typed is saved, so the page may be left
}) {
  const typed = useRef(false);
  const popup = useRef<HTMLDivElement>(null);
  const [asks, ask] = useState(false);
  const firstOf = first ? () => popup.current?.querySelector<HTMLElement>(first) : undefined;
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(o) => {
        if (!o && typed.current) ask(true);
        else onOpenChange(o);
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className={`dialog${wide ? " dialog-wide" : ""}`}
          initialFocus={ownFocus ? false : firstOf}
          onInput={(e) => {
            if (!forgets && isText(e.target)) typed.current = true;
          }}
          ref={popup}
        >
          <div className="dialog-head">
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label="Close">
              <X size={18} aria-hidden />
            </Dialog.Close>
          </div>
          {children}
          <Typed typed={typed} saved={saved} />
          <Sends of={popup} />
          {asks && (
            <Leave
              open
              stay={() => ask(false)}
              leave={() => {
                ask(false);
                onOpenChange(false);
              }}
            />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Sends lets Ctrl+Enter send the form of the dialog, also before the focus has come to it. */
function Sends({ of }: { of: RefObject<HTMLDivElement | null> }) {
  // The keyboard is the window's.
  useEffect(() => {
    const listen = (e: KeyboardEvent) => {
      if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey)) return;
      if ([...document.querySelectorAll(".dialog")].at(-1) !== of.current) return;
      const submit = of.current?.querySelector<HTMLButtonElement>("[type=submit]");
      if (!submit) return;
      e.preventDefault();
      submit.click();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [of]);
  return null;
}

/** Cancel closes the dialog that it is in, which asks first as for Escape. */
export function Cancel() {
  return <Dialog.Close render={<Button>Cancel</Button>} />;
}

/** FormEnd has the buttons of a form in a dialog: Cancel, and the one that sends it. */
export function FormEnd({
  busy,
  danger,
  children,
}: {
  busy: boolean;
  danger?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="dialog-actions">
      <Cancel />
      <Button type="submit" look={danger ? "danger" : "primary"} busy={busy} title="Ctrl Enter">
        {children}
      </Button>
    </div>
  );
}

/** Typed asks before a page is left with something typed in a dialog. A dialog that opens again is empty. */
function Typed({
  typed,
  saved,
}: {
  typed: RefObject<boolean>;
  saved: RefObject<boolean> | undefined;
}) {
  // The dialog's part of the page is there while it is open.
  useEffect(() => {
    typed.current = false;
    return () => {
      typed.current = false;
    };
  }, [typed]);
  return useLeaving(() => typed.current && !saved?.current).dialog;
}

/** useLeaving asks before what was entered is lost. A session that ends keeps the page; see isHeld. */
export function useLeaving(
  unsaved: () => boolean,
  lost?: string, // in a sentence; what was entered, without it
): { dialog: ReactNode; mayLeave: () => void } {
  const free = useRef(false);
  const blocks = () => !free.current && unsaved();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: blocks,
    enableBeforeUnload: blocks,
    withResolver: true,
  });
  const now = useEffectEvent(blocks);
  // What is typed anywhere on the page is counted outside React.
  useEffect(() => watchTyped(() => now(), lost), [lost]);
  return {
    mayLeave: () => {
      free.current = true;
      setTimeout(() => {
        free.current = false;
      }, 500);
    },
    dialog: (
      <Leave
        open={status === "blocked"}
        lost={lost}
        stay={() => reset?.()}
        leave={() => proceed?.()}
      />
    ),
  };
}

/** Leave asks whether what was entered may be lost. */
export function Leave({
  open,
  lost = notSaved,
  stay,
  leave,
}: {
  open: boolean;
  lost?: string | undefined;
  stay: () => void;
  leave: () => void;
}) {
  return (
    <Modal
      title="Leave without saving?"
      open={open}
      onOpenChange={(o) => {
        if (!o) stay();
      }}
    >
      <div className="stack">
        <p>{lost}</p>
        <div className="dialog-actions">
          <Button onClick={stay}>Stay</Button>
          <Button look="danger" onClick={leave}>
            Leave
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** useTyping is useLeaving for a form that saves all of itself: input goes on its element. */
export function useTyping(): {
  input: { onInput: (e: FormEvent) => void };
  dialog: ReactNode;
  mayLeave: () => void;
} {
  const typed = useRef(false);
  const { dialog } = useLeaving(() => typed.current);
  return {
    input: {
      onInput: (e) => {
        if (isText(e.target)) typed.current = true;
      },
    },
    dialog,
    mayLeave: () => {
      typed.current = false;
    },
  };
}

/** Confirm is a button that asks before it acts, and may ask for a note. */
export function Confirm({
  trigger,
  title,
  children,
  action,
  danger,
  note,
  noteRequired,
  busy,
  onConfirm,
}: {
  trigger: (open: () => void) => ReactElement;
  title: string;
  children?: ReactNode;
  action: string;
  danger?: boolean;
  note?: string | undefined; // the label of a note
  noteRequired?: boolean;
  busy?: boolean;
  onConfirm: (note: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const toast = useToast();
  const path = useRef("");
  const taken = useEffectEvent(() => {
    if (open && !isHeld() && location.pathname === path.current)
      toast.good(
        "The question was closed.",
        `“${title}” no longer applies: this was changed meanwhile.`,
      );
  });
  // The page that takes the question away does not know that it was open.
  useEffect(() => {
    path.current = location.pathname;
    return () => taken();
  }, []);
  return (
    <>
      {trigger(() => setOpen(true))}
      <Modal title={title} open={open} onOpenChange={setOpen}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            onConfirm(text.trim());
            setOpen(false);
          }}
        >
          {children && <div className="stack-s">{children}</div>}
          {note && (
            <AreaField
              label={note}
              value={text}
              onChange={setText}
              maxLength={400}
              required={noteRequired}
            />
          )}
          <div className="dialog-actions">
            <Cancel />
            <Button
              type="submit"
              look={danger ? "danger" : "primary"}
              busy={busy}
              title="Ctrl Enter"
            >
              {action}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
}
