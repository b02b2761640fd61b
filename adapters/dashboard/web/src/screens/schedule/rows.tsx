// The rows of a schedule's file: each cell can be corrected in its place, and what is wrong stands beside it.
import { useEffect, useMemo, useRef, useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { Button } from "../../ui/button";
import { Check, FaultsOf, Group, TextField } from "../../ui/form";
import { attend } from "../../ui/page";
import { PayerPicker } from "../../ui/payer-picker";
import { count } from "../../ui/plural";
import { Table } from "../../ui/table";
import {
  type At,
  agreed,
  type Column,
  columnsOf,
  type File,
  faultsOf,
  fields,
  named,
  type Text,
} from "./file";

type Schedule = Schemas["Schedule"];

/** Change gives cells of a row other texts. */
type Change = (columns: readonly Column[], row: number, texts: readonly Text[]) => void;

/** Means keeps which payer a name in files is. */
type Means = (name: string, payer: { payer_id: string; name: string }) => void;

/** useMeant returns the payer that a name was kept to mean, as a person has to see it before the payer is asked. */
function useMeant(): (name: string) => string | undefined {
  const { api } = useClient();
  const path = { kind: "schedule" as const };
  const mapping = api.useQuery("get", "/import_mappings/{kind}", { params: { path } });
  return (name) => mapping.data?.payers.find((p) => named(p.name) === named(name))?.payer.name;
}

/** most is how many rows are shown at first, and how many more at a time. */
const most = 100;

/** Rows shows the rows to correct, or all. A row that was corrected stays until then. */
export function Rows({
  schedule: s,
  file,
  change,
  means,
}: {
  schedule: Schedule;
  file: File;
  change: Change;
  means: Means;
}) {
  const columns = useMemo(() => columnsOf(s), [s]);
  const faults = useMemo(() => faultsOf(s, columns), [s, columns]);
  const cells = useMemo(() => file.rows.map((r) => r.cells), [file]);
  const [all, setAll] = useState(false);
  const [shown, setShown] = useState(most);
  const [met, meet] = useState<ReadonlySet<number>>(new Set()); // rows that have been to look at
  const looks = s.rows.flatMap((r, i) => (r.faults.length > 0 || r.member_id_restored ? [i] : []));
  if (looks.some((i) => !met.has(i))) meet(new Set([...met, ...looks]));
  const meant = useMeant();
  const from = useCorrected(s);
  const places = s.rows.map((_, i) => i).filter((i) => all || met.has(i));
  const noteOf = (c: Column, row: number) => {
    if (c.field === "member_id") return restored(s, row);
    const payer = c.field === "payer" && meant(cells[row]?.[c.at] ?? "");
    return payer ? `Means ${payer}` : "";
  };
  const edit = (row: number, at: number, texts: readonly Text[]) => {
    from.current = `${row}.${at}`;
    change(columns, row, texts);
  };
  return (
    <FaultsOf list={faults} request={cells}>
      <div className="filters">
        <Check
          label={`Show all ${count(s.rows.length, "row")}`}
          checked={all}
          onChange={(on) => {
            setAll(on);
            setShown(most);
          }}
        />
      </div>
      {places.length === 0 ? (
        <p className="schedule-clean muted">No row needs a correction.</p>
      ) : (
        <section className="schedule-rows" aria-label="Rows of the file">
          <Table
            caption="Rows of the file"
            rows={places.slice(0, shown)}
            id={(row) => String(row)}
            columns={[
              {
                head: "Line",
                cell: (row) => <span className="numbers muted">{file.rows[row]?.line}</span>,
              },
              ...columns.map((c) => ({
                head: c.name in fields ? (fields[c.name as keyof typeof fields] ?? c.name) : c.name,
                cell: (row: number) => (
                  <Cell
                    of={c}
                    path={`${row}.${c.at}`}
                    line={file.rows[row]?.line ?? 0}
                    text={cells[row]?.[c.at] ?? ""}
                    fault={faults.find((f) => f.field === `${row}.${c.at}`)}
                    note={noteOf(c, row)}
                    edit={(text) => edit(row, c.at, [{ at: c.at, text }])}
                    settle={(payer) => edit(row, c.at, agreed(columns, payer))}
                    means={(name, payer) => {
                      from.current = `${row}.${c.at}`;
                      means(name, payer);
                    }}
                  />
                ),
              })),
            ]}
          />
        </section>
      )}
      {places.length > shown && (
        <div className="table-more">
          <Button onClick={() => setShown(shown + most)}>Show more</Button>
        </div>
      )}
    </FaultsOf>
  );
}

/** restored says which member ID of a row has its leading zeros again. */
function restored(s: Schedule, row: number): string {
  const r = s.rows[row];
  if (!r?.member_id_restored || !r.item) return "";
  return `Read as ${r.item.subscriber.member_id}: a spreadsheet took the zeros.`;
}

/** faulty selects a way to correct each cell that is wrong. */
const faulty =
  ".schedule-rows [aria-invalid], .schedule-rows [data-group]:has(.fault) :is(button, input)";

/** useCorrected returns where the cell goes that a person corrects. When it is right, the next one
 *  that is wrong has the focus, and after the last one the button that begins. */
function useCorrected(read: Schedule) {
  const from = useRef<string | null>(null);
  // The focus is outside React.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each reply may take the corrected cell away
  useEffect(() => {
    if (from.current === null || document.activeElement !== document.body) return;
    const [row = 0, at = 0] = from.current.split(".").map(Number);
    from.current = null;
    const wrong = [...document.querySelectorAll<HTMLElement>(faulty)];
    const next = wrong.find((e) => {
      const [r = 0, c = 0] = (e.closest<HTMLElement>("[data-path]")?.dataset.path ?? "")
        .split(".")
        .map(Number);
      return r > row || (r === row && c > at);
    });
    const to = next ?? wrong[0] ?? document.querySelector<HTMLElement>(".schedule-begin");
    to?.focus();
  }, [read]);
  return from;
}

type CellProps = {
  of: Column;
  path: string;
  line: number;
  text: string;
  fault: At | undefined;
  note: string; // what else the text comes to
  edit: (text: string) => void;
  settle: (payer: { payer_id: string; name: string }) => void;
  means: Means;
};

/** Cell is a text that becomes a field when it is clicked. One that is wrong is a field from the beginning. */
function Cell(props: CellProps) {
  const { of, line, text, fault, note, edit } = props;
  const [open, setOpen] = useState(false);
  const back = useRef(false); // the keyboard left the field
  const payer = of.field === "payer" || (of.field === "payer_id" && fault !== undefined);
  const close = (byKey: boolean) => {
    back.current = byKey && !fault; // after a fault the next one has the focus
    setOpen(false);
  };
  if (fault || open) {
    return payer ? (
      <PayerCell {...props} close={() => close(true)} />
    ) : (
      <div className="schedule-cell">
        <Typed {...props} opened={!fault} close={close} />
        {fault && <Candidates of={fault} choose={(c) => edit(c.value)} />}
      </div>
    );
  }
  return (
    <div className="schedule-cell">
      <button
        type="button"
        className={`schedule-text${/date|time|_at$/.test(of.field) ? " nowrap" : ""}`}
        aria-label={`${text || "Empty"}, change ${of.name} of line ${line}`}
        ref={back.current ? attend : undefined}
        onClick={() => setOpen(true)}
      >
        {text || "–"}
      </button>
      {note && <span className="sub">{note}</span>}
    </div>
  );
}

function Typed({
  of,
  path,
  line,
  text,
  edit,
  opened,
  close,
}: CellProps & { opened: boolean; close: (byKey: boolean) => void }) {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  const commit = () => {
    if (typed.trim() === sent.current) return;
    sent.current = typed.trim();
    edit(typed);
  };
  return (
    <TextField
      label={`${of.name} of line ${line}`}
      hideLabel
      path={path}
      value={typed}
      onChange={setTyped}
      autoComplete="off"
      spellCheck={false}
      ref={opened ? attend : undefined}
      onBlur={() => {
        commit();
        close(false);
      }}
      onKeyDown={(e) => {
        if (e.key === "Enter") commit();
        if (e.key === "Enter" || e.key === "Escape") close(true);
        if (e.key === "Escape") setTyped(sent.current);
      }}
    />
  );
}

function Candidates({
  of,
  choose,
}: {
  of: At;
  choose: (candidate: At["candidates"][number]) => void;
}) {
  if (of.candidates.length === 0) return null;
  return (
    <ul className="plain schedule-candidates" aria-label="It may mean">
      {of.candidates.map((c) => (
        <li key={c.value}>
          <Button onClick={() => choose(c)}>{c.label}</Button>
        </li>
      ))}
    </ul>
  );
}

/** PayerCell finds the payer that a name means: in all rows and later files, or here alone. What it
 *  may mean comes first, and then every payer. Where the ID and the name differ, it is here alone,
 *  and both change. */
function PayerCell({
  path,
  line,
  text,
  fault,
  edit,
  settle,
  means,
  close,
}: CellProps & { close: () => void }) {
  const [here, setHere] = useState(false);
  const [others, setOthers] = useState(false);
  const differs = fault?.code === "conflict";
  const choose = (payer: { payer_id: string; name: string }) => {
    if (differs) settle(payer);
    else if (here || !text) edit(payer.payer_id);
    else means(text, payer);
    close();
  };
  const offers = fault && fault.candidates.length > 0;
  return (
    <Group path={path} label={`Payer of line ${line}`} className="schedule-cell">
      {text && <span className="strong">{text}</span>}
      {offers && (
        <Candidates of={fault} choose={(c) => choose({ payer_id: c.value, name: c.label })} />
      )}
      {offers && !others ? (
        <button type="button" className="link-button" onClick={() => setOthers(true)}>
          {differs ? "Another payer" : "Another payer, or only here"}
        </button>
      ) : (
        <>
          <PayerPicker
            label={`Find the payer of line ${line}`}
            hideLabel
            accepts="eligibility"
            value={null}
            onChange={(p) => p && choose(p)}
          />
          {text && !differs && <Check label="In this row only" checked={here} onChange={setHere} />}
        </>
      )}
    </Group>
  );
}
