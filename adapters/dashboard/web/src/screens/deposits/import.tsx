// Importing a bank's file, and what became of its entries.
import { FileUp } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { FileDrop } from "../../ui/file-drop";
import { AreaField, TextField } from "../../ui/form";
import { printable } from "../../ui/format";
import { useOpening } from "../../ui/opening";
import { Facts, Notice, why } from "../../ui/page";

/** columns are what a CSV file may be told about itself, by the names of the fields. */
const columns = [
  ["account", "Account (last four digits)"],
  ["date_column", "Column of the day"],
  ["amount_column", "Column of the amount"],
  ["credit_column", "Column of money in"],
  ["debit_column", "Column of money out"],
  ["text_column", "Column of the text"],
  ["company_column", "Column of the sender"],
  ["reference_column", "Column of the bank’s number"],
  ["check_number_column", "Column of the check’s number"],
] as const;

type Told = Partial<Record<(typeof columns)[number][0] | "payer_names", string>>;

/** Import is a button that opens a dialog for a file. */
export function Import() {
  const [open, setOpen] = useOpening("/deposits");
  return (
    <>
      <Button look="primary" icon={<FileUp size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Import
      </Button>
      <Modal title="Import a bank’s file" open={open} onOpenChange={setOpen}>
        <Drop close={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function Drop({ close }: { close: () => void }) {
  const [told, setTold] = useState<Told>({});
  const tell = (name: keyof Told, text: string) => setTold((t) => ({ ...t, [name]: text }));
  const send = useSend(
    (api, key, file: File) => {
      const form = new FormData();
      form.append("file", file);
      for (const [name, text] of Object.entries(told)) {
        if (text.trim()) form.append(name, text.trim());
      }
      // The generated type of a file is text; the form carries its bytes.
      return api.POST("/deposits/import", {
        params: { header: key },
        body: form as unknown as Schemas["DepositForm"],
      });
    },
    { quiet: true },
  );
  return (
    <div className="stack">
      <FileDrop
        says="Drop your bank’s file here (NACHA, BAI2 or CSV), or choose one of up to 5 MB."
        again={Boolean(send.data)}
        busy={send.isPending}
        most={5}
        tooLarge="Ask your bank for shorter periods, or split the file."
        onFile={send.go}
      />
      <div role="status" className="stack">
        {send.error && (
          <Notice tone="bad" title={why(send.error)}>
            {isAPIError(send.error) &&
              send.error.errors.map((f) => <p key={f.message}>{printable(f.message)}</p>)}
          </Notice>
        )}
        {send.data && <Became of={send.data} />}
      </div>
      <details>
        <summary>For a CSV file, and for payers that the bank does not mark</summary>
        <div className="stack">
          <p className="muted small">
            Leave a field empty, and Molar looks for the usual names of columns.
          </p>
          {columns.map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              optional
              value={told[name] ?? ""}
              onChange={(v) => tell(name, v)}
              maxLength={100}
              autoComplete="off"
            />
          ))}
          <AreaField
            label="Names of payers, one a line"
            optional
            hint="An entry whose text has one of them waits for a remittance, also in later files."
            value={told.payer_names ?? ""}
            onChange={(v) => tell("payer_names", v)}
            maxLength={2000}
          />
        </div>
      </details>
      <div className="dialog-actions">
        <Button onClick={close}>Done</Button>
      </div>
    </div>
  );
}

/** Became says what became of the entries of a file. */
function Became({ of }: { of: Schemas["DepositImport"] }) {
  return (
    <>
      <Facts
        items={[
          ["Entries of the file", String(of.entries)],
          ["New", String(of.added)],
          ["Here before", String(of.known)],
          ["Now with a trace number", String(of.traced)],
          ["Matched at once", String(of.matched)],
          ["To match", String(of.waiting)],
          ["Taken back", String(of.returned)],
        ]}
      />
      {of.warnings.length > 0 && (
        <Notice tone="warn" title="The file was read, but something in it is off">
          {of.warnings.map((w, i) => (
            <p key={i}>
              {w.line !== null && `Line ${w.line}: `}
              {printable(w.message)}
            </p>
          ))}
        </Notice>
      )}
    </>
  );
}
