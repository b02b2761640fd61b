// Importing a fee schedule from a CSV file of another program.
import { useRef, useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Cancel, Modal } from "../../ui/dialog";
import { Check, DateField, type Fault, FaultsOf, SelectField, TextField } from "../../ui/form";
import { useToday } from "../../ui/format";
import { Notice } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { Table } from "../../ui/table";
import { DeadlineFields, useDeadlines } from "./deadlines";
import { faultsByLine, textOf } from "./fee-file";

type Schedule = Schemas["FeeSchedule"];

/** FeeImport is a dialog that makes a fee schedule of a file. It may replace another one. */
export function FeeImport({ replaces, close }: { replaces?: Schedule; close: () => void }) {
  const { api } = useClient();
  const today = useToday();
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(replaces?.name ?? "");
  const [kind, setKind] = useState<Schedule["kind"]>(replaces?.kind ?? "office_fees");
  const [office, setOffice] = useState(replaces?.office_id ?? "");
  const [payer, setPayer] = useState<PickedPayer | null>(replaces?.payer ?? null);
  const [network, setNetwork] = useState<string>(replaces?.network ?? "");
  const [from, setFrom] = useState(today);
  const [writeOff, setWriteOff] = useState(replaces?.write_off_beyond_limits ?? true);
  const [file, setFile] = useState<{ name: string; bytes: ArrayBuffer } | null>(null);
  const deadlines = useDeadlines(replaces);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const query = {
    name,
    kind,
    effective_from: from,
    ...(office && { office_id: office }),
    ...(payer && { payer_id: payer.id }),
    ...(network && { network: network as "in" }),
    ...(kind === "allowed" && { write_off_beyond_limits: writeOff, ...deadlines.entered }),
    ...(replaces && { replaces: replaces.id }),
  };
  const send = useSend(
    (fetch, key, bytes: ArrayBuffer) =>
      fetch.POST("/fee_schedules", {
        params: { header: key, query },
        // The generated type of a file is text; the request carries its bytes.
        body: bytes as unknown as string,
        bodySerializer: (b) => b as unknown as ArrayBuffer,
        headers: { "Content-Type": "text/csv" },
      }),
    {
      says: "The fee schedule is imported.",
      done: close,
      refused: (e) => {
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  const take = async (chosen: File | undefined) => {
    if (!chosen) return;
    setFaults([]);
    setFile({ name: chosen.name, bytes: await chosen.arrayBuffer() });
  };
  return (
    <Modal
      title={replaces ? `Replace ${replaces.name}` : "Import a fee schedule"}
      wide
      open
      onOpenChange={(o) => {
        if (!o) close();
      }}
    >
      <FaultsOf list={faults} request={query}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            setFaults([]);
            if (file) send.go(file.bytes);
            else setFaults([{ field: "file", message: "Choose a CSV file." }]);
          }}
        >
          <TextField
            label="Name"
            path="name"
            required
            value={name}
            onChange={setName}
            placeholder="Office fees 2027"
          />
          <SelectField
            label="Kind"
            path="kind"
            value={kind}
            onChange={(v) => {
              setKind(v as typeof kind);
              setNetwork(v === "allowed" ? "in" : ""); // a payer allows its fees in its network
            }}
            options={[
              ["office_fees", "What offices charge"],
              ["allowed", "What a payer allows"],
            ]}
          />
          <DateField
            label="First service date"
            path="effective_from"
            required
            value={from}
            onChange={setFrom}
          />
          <PayerPicker label="Payer" path="payer_id" optional value={payer} onChange={setPayer} />
          <SelectField
            label="Office"
            path="office_id"
            value={office}
            onChange={setOffice}
            options={[
              ["", "All offices"],
              ...(offices.data?.data ?? []).map((o) => [o.id, o.name] as const),
            ]}
          />
          <SelectField
            label="Network"
            path="network"
            value={network}
            onChange={setNetwork}
            options={[
              ["", "In and out of network"],
              ["in", "In network"],
              ["out", "Out of network"],
            ]}
          />
          {kind === "allowed" && (
            <Check
              label="Write off the difference also beyond the maximum, frequency or age limit of the plan"
              checked={writeOff}
              onChange={setWriteOff}
            />
          )}
          {kind === "allowed" && (
            <fieldset className="stack-s">
              <legend>Deadlines of the contract</legend>
              <p className="muted small">
                They come before those of the payer. Leave a field empty for a deadline that you do
                not know.
              </p>
              <DeadlineFields of={deadlines} />
            </fieldset>
          )}
          <div>
            <Button onClick={() => input.current?.click()}>
              {file ? "Choose another file" : "Choose a CSV file"}
            </Button>{" "}
            <span className="muted">
              {file?.name ?? "Its first line names the columns, such as ADA Code and Fee."}
            </span>
            <input
              ref={input}
              type="file"
              accept=".csv,.txt,text/csv,text/plain"
              hidden
              onChange={(e) => {
                void take(e.target.files?.[0]);
                e.target.value = "";
              }}
            />
          </div>
          <Wrong faults={faults} bytes={file?.bytes} />
          <div className="dialog-actions">
            <Cancel />
            <Button type="submit" look="primary" busy={send.isPending}>
              Import
            </Button>
          </div>
        </form>
      </FaultsOf>
    </Modal>
  );
}

/** Wrong shows what is wrong with the file, each beside its line. */
function Wrong({ faults, bytes }: { faults: readonly Fault[]; bytes: ArrayBuffer | undefined }) {
  const lines = faultsByLine(faults, bytes ? textOf(bytes) : "");
  const whole = faults.filter((f) => ["file", "body", "rows", "replaces"].includes(f.field ?? ""));
  if (lines.length + whole.length === 0) return null;
  return (
    <Notice tone="bad" title="The fee schedule is not imported.">
      {whole.map((f) => (
        <p key={f.message}>{f.message}</p>
      ))}
      {lines.length > 0 && (
        <Table
          caption="What is wrong with the file"
          rows={lines}
          id={(l) => `${l.line}.${l.column}`}
          columns={[
            { head: "Line", cell: (l) => <span className="numbers">{l.line}</span> },
            { head: "In the file", cell: (l) => <code className="wrap-anywhere">{l.text}</code> },
            { head: "What is wrong", cell: (l) => l.message },
          ]}
        />
      )}
    </Notice>
  );
}
