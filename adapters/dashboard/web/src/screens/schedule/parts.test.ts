import { describe, expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import { textOf } from "../settings/fee-file";
import { joined, parts } from "./parts";

const bytes = (text: string) => new TextEncoder().encode(text);
const cut = (text: string, rows?: number, most?: number) =>
  parts(bytes(text), rows, most).map(textOf);

describe("a file", () => {
  const head = "\nPatient;Note\r\n";

  test("that a request can have stays as it is", () => {
    const file = bytes(`${head}a;b\n`);
    expect(parts(file)).toEqual([file]);
    expect(cut("")).toEqual([""]);
  });

  test("in parts keeps its lines", () => {
    const rows = ['"a\nb";1\n', "c;2\n\n;;\n", '"d""\n";3\n', "e;4"];
    expect(cut(head + rows.join(""), 2)).toEqual([
      `${head}"a\nb";1\nc;2\n\n;;\n`,
      `${head}${"\n".repeat(5)}"d""\n";3\ne;4`,
    ]);
  });

  test("is cut by its bytes", () => {
    const all = cut(head + "Núñez;1\n".repeat(50), 5000, 100);
    expect(all.length).toBeGreaterThan(5);
    for (const [i, part] of all.entries()) {
      expect(bytes(part).length).toBeLessThanOrEqual(100);
      expect(part.startsWith(head + "\n".repeat(i === 0 ? 0 : 1))).toBe(true);
    }
    expect(all.join("").match(/Núñez/g)).toHaveLength(50);
  });

  test("of Windows-1252 is sent as UTF-8", () => {
    const file = Uint8Array.from(`${head}N\xfa\nb;1\n`, (c) => c.charCodeAt(0));
    expect(parts(file, 1).map(textOf)).toEqual([`${head}Nú\n`, `${head}\nb;1\n`]);
  });

  test("whose quotation mark is not closed says so when it is read", () => {
    const all = cut(`${head}a;1\n"b;2\n${"c;3\n".repeat(100)}`, 5000, 100);
    expect(all).toHaveLength(2);
    expect(all[1]).toMatch(/^\nPatient;Note\r\n\n"b;2\nc;3/);
  });
});

test("rows of different parts do not have one item ID", () => {
  const row = (line: number, id: string) =>
    ({
      line,
      cells: [id],
      item: { item_id: id },
      member_id_restored: false,
      faults: [],
    }) as unknown as Schemas["ScheduleRow"];
  const part = (...rows: Schemas["ScheduleRow"][]): Schemas["Schedule"] => ({
    object: "schedule",
    columns: [{ name: "ID", field: "item_id", known: true }],
    faults: [],
    rows,
  });
  const one = part(row(2, "a"));
  expect(joined(one, [])).toBe(one);
  const whole = joined(part(row(2, "a"), row(3, "b")), [part(row(4, "c"), row(5, "a"))]);
  expect(whole.rows.map((r) => [r.line, r.item?.item_id ?? null])).toEqual([
    [2, "a"],
    [3, "b"],
    [4, "c"],
    [5, null],
  ]);
  expect(whole.rows[3]?.faults).toMatchObject([
    {
      column: 1,
      code: "conflict",
      message: "Line 2 has the same item ID. Each row needs its own.",
    },
  ]);
});
