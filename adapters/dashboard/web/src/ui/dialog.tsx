import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactElement, type ReactNode, useState } from "react";
import { Button } from "./button";
import { AreaField } from "./form";

/** Modal is a dialog over the page. */
export function Modal({
  title,
  open,
  onOpenChange,
  children,
  wide,
  ownFocus,
}: {
  title: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
  wide?: boolean;
  ownFocus?: boolean; // what is inside takes the focus, else its first part gets it
}) {
  return (
    <Dialog.Root open={open} onOpenChange={(o) => onOpenChange(o)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className={`dialog${wide ? " dialog-wide" : ""}`}
          initialFocus={ownFocus ? false : undefined}
        >
          <div className="dialog-head">
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label="Close">
              <X size={18} aria-hidden />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
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
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" look={danger ? "danger" : "primary"} busy={busy}>
              {action}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
}
