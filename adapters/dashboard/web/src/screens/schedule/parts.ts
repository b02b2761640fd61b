// A long file in parts: a request has limits, and a practice's file has not. The service alone reads what is in them.
import type { Schemas } from "../../api/client";
import { textOf } from "../settings/fee-file";

type Schedule = Schemas["Schedule"];

/** The limits of a request, with room to spare. */
const mostRows = 5000;
const mostBytes = 1_000_000;

const sizeOf = (text: string) => new TextEncoder().encode(text).length;

/** parts returns what to send of a file: as it is, or in parts. Each part begins with the names of the columns, and has
 *  blank lines, which do not count, in place of the rows before its own: so it keeps the lines of the file. */
export function parts(
  bytes: ArrayBuffer | Uint8Array,
  rows = mostRows,
  most = mostBytes,
): (ArrayBuffer | Uint8Array)[] {
  const [head = "", ...all] = records(textOf(bytes));
  if (all.length <= rows && bytes.byteLength <= most) return [bytes];
  const out: Uint8Array[] = [];
  let lines = 0; // of the rows before the part
  for (let at = 0; at < all.length; ) {
    let used = sizeOf(head) + lines;
    let text = "";
    const begin = at;
    for (; at < all.length && at - begin < rows; at++) {
      const row = all[at] ?? "";
      if (at > begin && used + sizeOf(row) > most) break;
      used += sizeOf(row);
      text += row;
    }
    const part = new TextEncoder().encode(head + "\n".repeat(lines) + text);
    // A row that is larger than a part has a quotation mark that is not closed. Reading it says so.
    if (used > most) return [...out, part.slice(0, most)];
    out.push(part);
    lines += text.split("\n").length - 1;
  }
  return out.length > 0 ? out : [new Uint8Array(bytes).slice(0, most)];
}

/** records cuts a file behind each line end that does not stand in quotation marks. Blank rows stay with the row before
 *  them, or with the names of the columns. */
function records(text: string): string[] {
  const all: string[] = [];
  let [begin, quoted, blank] = [0, false, true]; // blank until the names of the columns
  const cut = (to: number) => {
    const row = text.slice(begin, to);
    const is = /^[\s,;"]*$/.test(row);
    if (all.length > 0 && (is || blank)) all[all.length - 1] += row;
    else all.push(row);
    [begin, blank] = [to, blank && is];
  };
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (text[i] === "\n" && !quoted) cut(i + 1);
  }
  if (begin < text.length) cut(text.length);
  return all;
}

/** joined returns what was read of the parts of a file, as of the whole. */
export function joined(first: Schedule, more: readonly Schedule[]): Schedule {
  if (more.length === 0) return first;
  const column = first.columns.findIndex((c) => c.field === "item_id") + 1;
  const lines = new Map<string, number>();
  const rows = [first, ...more]
    .flatMap((s) => s.rows)
    .map((r) => {
      if (!r.item) return r;
      const line = lines.get(r.item.item_id);
      if (line === undefined) {
        lines.set(r.item.item_id, r.line);
        return r;
      }
      const fault: Schemas["CellFault"] = {
        column: column || null,
        field: "item_id",
        code: "conflict",
        message: `Line ${line} has the same item ID. Each row needs its own.`,
        candidates: [],
      };
      return { ...r, item: null, faults: [...r.faults, fault] };
    });
  return { ...first, rows };
}
