// A schedule's file as a person corrects it: its cells, and what the service says of each. The
// service alone reads files.
import type { Schemas } from "../../api/client";
import type { Fault } from "../../ui/form";

type Schedule = Schemas["Schedule"];
type CellFault = Schemas["CellFault"];

/** Field is what a column of a file has. */
export type Field = Schemas["ScheduleField"];

/** fields are what columns can have, in words. */
export const fields: Record<Field, string> = {
  name: "Patient's name",
  first_name: "Patient's first name",
  last_name: "Patient's last name",
  date_of_birth: "Patient's date of birth",
  gender: "Patient's gender",
  relationship: "Relationship to the subscriber",
  member_id: "Member ID",
  group_number: "Group number",
  payer: "Payer's name",
  payer_id: "Payer ID",
  appointment_at: "Day and time of the appointment",
  appointment_date: "Day of the appointment",
  appointment_time: "Time of the appointment",
  service_date: "Service date",
  procedure_codes: "Procedures",
  subscriber_name: "Subscriber's name",
  subscriber_first_name: "Subscriber's first name",
  subscriber_last_name: "Subscriber's last name",
  subscriber_date_of_birth: "Subscriber's date of birth",
  subscriber_gender: "Subscriber's gender",
  item_id: "ID of the row",
  appointment_id: "ID of the appointment",
  office_id: "ID of the office",
};

/** Row is a line of the file. */
type Row = { line: number; cells: readonly string[] };

/** File has the names of the columns, and the rows. */
export type File = { header: readonly string[]; rows: readonly Row[] };

/** fileOf returns the file that was read. */
export function fileOf(s: Schedule): File {
  return { header: s.columns.map((c) => c.name), rows: s.rows };
}

/** written returns a file as CSV. */
export function written({ header, rows }: File): string {
  const line = (cells: readonly string[]) => cells.map(quoted).join(",");
  return [line(header), ...rows.map((r) => line(r.cells))].join("\r\n");
}

const quoted = (text: string) =>
  /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Column is a column of the table: one of the file, or one that the file lacks and a row needs. */
export type Column = { at: number; name: string; field: Field };

/** columnsOf returns the columns to show: those that the service reads, and those that are needed. */
export function columnsOf(s: Schedule): Column[] {
  const read = s.columns.flatMap((c, at) =>
    c.field ? [{ at, name: c.name, field: c.field }] : [],
  );
  const needed = new Set(
    s.rows.flatMap((r) => r.faults.filter((f) => f.column === null).map((f) => fieldOf(f, s))),
  );
  for (const { field } of read) needed.delete(field);
  const lacking = [...needed].map((field, i) => ({ at: s.columns.length + i, name: field, field }));
  return [...read, ...lacking];
}

/** fieldOf returns the field that a column would have to have, of a fault that has no column. */
function fieldOf(f: CellFault, s: Schedule): Field {
  if (f.field === "payer_id") {
    const named = s.columns.some((c) => c.field === "payer");
    return named || !s.columns.some((c) => c.field === "payer_id") ? "payer" : "payer_id";
  }
  const [of = "", what = ""] = f.field.split(".");
  if (of === "subscriber" && what !== "member_id" && what !== "group_number")
    return `subscriber_${what}` as Field;
  return (what || of) as Field;
}

/** At is what is wrong with a cell, which its path names: row.column, from 0. */
export type At = Fault & { field: string } & Pick<CellFault, "code" | "candidates">;

/** faultsOf returns what is wrong with the cells of the rows. */
export function faultsOf(s: Schedule, columns: readonly Column[]): At[] {
  return s.rows.flatMap((r, row) =>
    r.faults.map((f) => {
      const field = f.column === null ? fieldOf(f, s) : null;
      const at =
        f.column === null ? (columns.find((c) => c.field === field)?.at ?? 0) : f.column - 1;
      const { code, message, candidates } = f;
      return { field: `${row}.${at}`, code, message, candidates };
    }),
  );
}

/** Text is a new text of a column's cell. */
export type Text = { at: number; text: string };

/** corrected returns the file with another text in a cell. A column that the file lacks is added with the ones before
 *  it. */
export function corrected(
  f: File,
  columns: readonly Column[],
  row: number,
  at: number,
  text: string,
): File {
  const header = [...f.header];
  for (const c of columns) if (c.at >= f.header.length && c.at <= at) header[c.at] = c.name;
  return {
    header,
    rows: f.rows.map((r, i) => (i === row ? { ...r, cells: placed(r.cells, at, text) } : r)),
  };
}

/** agreed returns the texts of a row whose payer's ID and name meant two payers, and now one. */
export function agreed(
  columns: readonly Column[],
  payer: { payer_id: string; name: string },
): Text[] {
  return columns.flatMap(({ at, field }) => {
    if (field === "payer_id") return [{ at, text: payer.payer_id }];
    return field === "payer" ? [{ at, text: payer.name }] : [];
  });
}

function placed(cells: readonly string[], at: number, text: string): string[] {
  const all = Array.from({ length: Math.max(cells.length, at + 1) }, (_, i) => cells[i] ?? "");
  all[at] = text.trim();
  return all;
}

/** split returns items in lists that a request may have: of so many items, and so many bytes. */
export function split<T>(items: readonly T[], most = 1000, bytes = 900_000): T[][] {
  const lists: T[][] = [];
  let used = 0;
  for (const item of items) {
    const size = new TextEncoder().encode(JSON.stringify(item)).length + 1;
    const last = lists.at(-1);
    if (last && last.length < most && used + size <= bytes) {
      last.push(item);
      used += size;
    } else {
      lists.push([item]);
      used = size;
    }
  }
  return lists;
}

/** named returns a name in the form in which the service compares names of columns and payers. */
export function named(name: string): string {
  return (name.toLowerCase().match(/[\p{L}\p{Nd}]+/gu) ?? []).join(" ");
}

type Mapping = Schemas["ImportMapping"];
export type Kept = {
  column?: { name: string; field: Field | null };
  payer?: { name: string; payer_id: string };
};

/** keeping returns a mapping as a request has it, with one more meaning in place of an earlier one of the same name. */
export function keeping(m: Mapping, { column, payer }: Kept): Schemas["ImportMappingRequest"] {
  const columns: { name: string; field: Field | null }[] = m.columns;
  const payers = m.payers.map((p) => ({ name: p.name, payer_id: p.payer.id }));
  const without = <T extends { name: string }>(all: T[], one: T | undefined) =>
    one ? [...all.filter((a) => named(a.name) !== named(one.name)), one] : all;
  return { columns: without(columns, column), payers: without(payers, payer) };
}
