// Importing an 835 that arrived another way, and what became of its payments.
import { FileUp } from "lucide-react";
import { isAPIError, type Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { FileDrop } from "../../ui/file-drop";
import { Money, printable } from "../../ui/format";
import { Go } from "../../ui/link";
import { useOpening } from "../../ui/opening";
import { Notice, why } from "../../ui/page";
import { Badge, type Tone } from "../../ui/state";
import { methodLabel } from "./standing";

/** Import is a button that opens a dialog for a file. */
export function Import() {
  const [open, setOpen] = useOpening("/remittances");
  return (
    <>
      <Button icon={<FileUp size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Import
      </Button>
      <Modal title="Import a remittance" open={open} onOpenChange={setOpen}>
        <Drop close={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function Drop({ close }: { close: () => void }) {
  const send = useSend(
    (api, key, file: File) => {
      const form = new FormData();
      form.append("file", file);
      // The generated type of a file is text; the form carries its bytes.
      return api.POST("/eras/import", {
        params: { header: key },
        body: form as unknown as Schemas["ERAForm"],
      });
    },
    { quiet: true },
  );
  return (
    <div className="stack">
      <FileDrop
        says="Drop an 835 file here, or choose one of up to 15 MB."
        again={Boolean(send.data)}
        busy={send.isPending}
        most={15}
        tooLarge={
          <>
            Ask an operator to import it with <code>molar era import</code>.
          </>
        }
        onFile={send.go}
      />
      <div role="status" className="stack">
        {send.error && (
          <Notice tone="bad" title={why(send.error)}>
            {isAPIError(send.error) && (
              <>
                {send.error.errors.map((f) => (
                  <p key={f.message}>{printable(f.message)}</p>
                ))}
                <p className="muted small">
                  Request <code>{send.error.request_id}</code>
                </p>
              </>
            )}
          </Notice>
        )}
        {send.data && <Became of={send.data} />}
      </div>
      <div className="dialog-actions">
        <Button onClick={close}>Done</Button>
      </div>
    </div>
  );
}

const statuses: Record<
  Schemas["ERAImport"]["payments"][number]["status"],
  readonly [string, Tone]
> = {
  imported: ["Imported", "good"],
  correction: ["Correction", "warn"],
  duplicate: ["Already here", "plain"],
  quarantined: ["In quarantine", "warn"],
};

/** Became lists what became of each payment of a file. */
export function Became({ of }: { of: Schemas["ERAImport"] }) {
  return (
    <ul className="plain candidates" aria-label={`Payments of ${printable(of.file_name)}`}>
      {of.payments.map((p, i) => (
        <li key={i} className="became">
          <div>
            <p className="strong wrap-anywhere">{printable(p.payer_name ?? "No payer's name")}</p>
            <p className="muted small wrap-anywhere">
              {p.payment && `${methodLabel(p.payment.method)} ${printable(p.payment.trace_number)}`}
            </p>
            {p.reason && <p className="small wrap-anywhere">{printable(p.reason)}</p>}
          </div>
          <div className="right">
            {p.payment && <Money value={p.payment.total} strong />}
            <p>
              <Badge tone={statuses[p.status][1]}>{statuses[p.status][0]}</Badge>
            </p>
            <p className="small">
              {p.era_id ? (
                <Go to={`/remittances/${p.era_id}`}>Open the remittance</Go>
              ) : (
                <Go to="/remittances/quarantine">Open the quarantine</Go>
              )}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
