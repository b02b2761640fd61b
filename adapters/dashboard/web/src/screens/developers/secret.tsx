import { Button } from "../../ui/button";
import { Copy } from "../../ui/copy";
import { Modal } from "../../ui/dialog";
import { Notice } from "../../ui/page";

/** Secret shows a secret once. It is gone when the dialog closes. */
export function Secret({
  title,
  value,
  about,
  close,
}: {
  title: string;
  value: string | null | undefined;
  about: string;
  close: () => void;
}) {
  return (
    <Modal
      title={title}
      open={value != null}
      onOpenChange={(o) => {
        if (!o) close();
      }}
    >
      <div className="stack">
        <Notice tone="warn" title="Copy it now. Molar does not show it again.">
          {about}
        </Notice>
        <p className="secret">{value && <Copy value={value} label="Copy" />}</p>
        <div className="dialog-actions">
          <Button look="primary" onClick={close}>
            I have stored it
          </Button>
        </div>
      </div>
    </Modal>
  );
}
