import { describe, expect, test } from "vitest";
import type { Schemas } from "../../api/client";
import {
  agreed,
  columnsOf,
  corrected,
  faultsOf,
  fileOf,
  keeping,
  named,
  split,
  written,
} from "./file";

type Schedule = Schemas["Schedule"];

const columns: Schedule["columns"] = [
  { name: "Patient", field: "name", known: true },
  { name: "Note", field: null, known: false },
  { name: "DOB", field: "date_of_birth", known: true },
];

const fault = (column: number | null, field: string) => ({
  column,
  field,
  code: "format" as const,
  message: `About ${field}.`,
  candidates: [],
});

/** schedule returns a file of one row with faults. */
function schedule(...faults: ReturnType<typeof fault>[]): Schedule {
  const row = { line: 2, cells: ["Ruiz, Ana", "x"], item: null, member_id_restored: false, faults };
  return { object: "schedule", columns, faults: [], rows: [row] };
}

describe("a file", () => {
  test("is written so that each cell stays one", () => {
    const rows = [{ line: 2, cells: ['Li, Bo "Bobby"', "two\nlines", "a;b", ""] }];
    expect(written({ header: ["A", "B", "C", "D"], rows })).toBe(
      'A,B,C,D\r\n"Li, Bo ""Bobby""","two\nlines","a;b",',
    );
  });

  test("shows the columns that are read", () => {
    expect(columnsOf(schedule()).map((c) => c.name)).toEqual(["Patient", "DOB"]);
  });

  test("has what is wrong at its cell", () => {
    const s = schedule(fault(3, "subscriber.date_of_birth"));
    expect(faultsOf(s, columnsOf(s)).map((f) => f.field)).toEqual(["0.2"]);
  });

  test.each([
    ["subscriber.date_of_birth", "subscriber_date_of_birth"],
    ["patient.relationship", "relationship"],
    ["subscriber.member_id", "member_id"],
    ["payer_id", "payer"],
  ])("gains a column for %s, which it lacks", (field, column) => {
    const s = schedule(fault(null, field));
    const shown = columnsOf(s);
    expect(shown.at(-1)).toEqual({ at: 3, name: column, field: column });
    expect(faultsOf(s, shown)[0]?.field).toBe("0.3");
    expect(corrected(fileOf(s), shown, 0, 3, " child ")).toEqual({
      header: ["Patient", "Note", "DOB", column],
      rows: [{ ...s.rows[0], cells: ["Ruiz, Ana", "x", "", "child"] }],
    });
  });

  test("has what is wrong with a payer at the column of its ID", () => {
    const s = schedule(fault(null, "payer_id"));
    s.columns = [...columns, { name: "Payer ID", field: "payer_id", known: true }];
    expect(columnsOf(s)).toHaveLength(3);
    expect(faultsOf(s, columnsOf(s))[0]?.field).toBe("0.3");
  });
});

test("an ID and a name that differ become those of one payer", () => {
  const payer = { payer_id: "CHTEST", name: "Molar Test Payer" };
  const all = [
    { at: 0, name: "Carrier", field: "payer" as const },
    { at: 1, name: "Patient", field: "name" as const },
    { at: 4, name: "Payer ID", field: "payer_id" as const },
  ];
  expect(agreed(all, payer)).toEqual([
    { at: 0, text: "Molar Test Payer" },
    { at: 4, text: "CHTEST" },
  ]);
});

test("items go in lists of at most 1,000", () => {
  const lists = split(Array.from({ length: 2001 }, (_, i) => i));
  expect(lists.map((l) => l.length)).toEqual([1000, 1000, 1]);
  expect(split([])).toEqual([]);
  expect(split(["aé", "b", "ccccccccc", "d"], 1000, 12)).toEqual([
    ["aé", "b"],
    ["ccccccccc"],
    ["d"],
  ]);
});

test("a name counts without case and signs", () => {
  expect(named(" Blue-Cross  (ÄB) 1")).toBe("blue cross äb 1");
});

test("what a name means is kept in place of what it meant before", () => {
  const payer = { id: "pyr_1", payer_id: "CHTEST", name: "Molar Test Payer" };
  const mapping: Schemas["ImportMapping"] = {
    object: "import_mapping",
    kind: "schedule",
    columns: [{ name: "Chart", field: null }],
    payers: [{ name: "MTP Dental", payer }],
    updated_at: null,
  };
  expect(keeping(mapping, { payer: { name: "mtp dental.", payer_id: "AETNA" } })).toEqual({
    columns: [{ name: "Chart", field: null }],
    payers: [{ name: "mtp dental.", payer_id: "AETNA" }],
  });
  expect(keeping(mapping, { column: { name: "Pt", field: "name" } })).toEqual({
    columns: [
      { name: "Chart", field: null },
      { name: "Pt", field: "name" },
    ],
    payers: [{ name: "MTP Dental", payer_id: "pyr_1" }],
  });
});
