import { describe, expect, test } from "vitest";
import {
  findTooth,
  front,
  inOrder,
  kept,
  ordered,
  rows,
  type Side,
  sideOf,
  surfaceOf,
  type Tooth,
  toggled,
} from "./teeth";

function tooth(id: string): Tooth {
  const t = findTooth(id);
  if (!t) throw new Error(`no tooth ${id}`);
  return t;
}

describe("the chart", () => {
  test("has 32 permanent and 20 primary teeth, each once", () => {
    const all = rows.flat();
    expect(all.filter((t) => !t.primary)).toHaveLength(32);
    expect(all.filter((t) => t.primary)).toHaveLength(20);
    expect(new Set(all.map((t) => t.id)).size).toBe(52);
    expect(new Set(all.map((t) => t.name)).size).toBe(52);
  });

  test("shows the patient's right on the left, and numbers the lower teeth backwards", () => {
    expect(rows.map((r) => [r[0]?.id, r.at(-1)?.id])).toEqual([
      ["1", "16"],
      ["A", "J"],
      ["T", "K"],
      ["32", "17"],
    ]);
    for (const row of rows) {
      const half = row.length / 2;
      expect(row.slice(0, half).every((t) => t.right)).toBe(true);
      expect(row.slice(half).some((t) => t.right)).toBe(false);
      expect(row[half - 1]?.step).toBe(1); // the midline is in the middle
      expect(row[half]?.step).toBe(1);
    }
  });

  test.each([
    ["1", "upper right third molar", "molar"],
    ["8", "upper right central incisor", "incisor"],
    ["9", "upper left central incisor", "incisor"],
    ["12", "upper left first premolar", "premolar"],
    ["17", "lower left third molar", "molar"],
    ["27", "lower right canine", "canine"],
    ["A", "upper right primary second molar", "molar"],
    ["K", "lower left primary second molar", "molar"],
    ["R", "lower right primary canine", "canine"],
  ])("tooth %s is the %s", (id, name, kind) => {
    expect(tooth(id)).toMatchObject({ name, kind });
  });

  test.each([
    ["51", "1"],
    ["58", "8"],
    ["82", "32"],
    ["AS", "A"],
    ["TS", "T"],
  ])("the supernumerary tooth %s is at the place of %s", (id, beside) => {
    expect(findTooth(id)).toBe(findTooth(beside));
  });

  test.each(["", "0", "33", "50", "83", "U", "US", "a", "1S"])("%j is no tooth", (id) => {
    expect(findTooth(id)).toBeUndefined();
  });
});

describe("surfaces", () => {
  test.each([
    ["14", "O", "B"],
    ["8", "I", "F"],
    ["6", "I", "F"],
    ["C", "I", "F"],
    ["A", "O", "B"],
  ])("tooth %s has the middle %s and the outer surface %s", (id, middle, outer) => {
    expect(surfaceOf(tooth(id), "middle")).toBe(middle);
    expect(surfaceOf(tooth(id), "outer")).toBe(outer);
    expect(front(tooth(id))).toBe(middle === "I");
  });

  test("every letter leads back to its side, in either case", () => {
    const sides: Side[] = ["middle", "mesial", "distal", "outer", "lingual"];
    for (const side of sides) {
      for (const id of ["3", "8"]) {
        const letter = surfaceOf(tooth(id), side);
        expect(sideOf(letter)).toBe(side);
        expect(sideOf(letter.toLowerCase())).toBe(side);
      }
    }
    expect(sideOf("X")).toBeUndefined();
    expect(sideOf("")).toBeUndefined();
  });

  test.each([
    ["DOM", "MOD"],
    ["OD", "DO"],
    ["BO", "OB"],
    ["LFIM", "MIFL"],
    ["MM", "M"],
    ["", ""],
  ])("%j is written %j", (given, want) => {
    expect(ordered([...given]).join("")).toBe(want);
  });

  test("a second click takes a surface away", () => {
    expect(toggled(["M", "O"], tooth("14"), "distal")).toEqual(["M", "O", "D"]);
    expect(toggled(["M", "O", "D"], tooth("14"), "middle")).toEqual(["M", "D"]);
  });

  test("the occlusal surface of a back tooth is the edge of a front tooth", () => {
    expect(toggled(["O"], tooth("8"), "middle")).toEqual([]);
    expect(kept(["M", "O", "B"], tooth("8"))).toEqual(["M", "I", "F"]);
    expect(kept(["I", "F"], tooth("14"))).toEqual(["O", "B"]);
  });
});

test("teeth are in the order of their numbers, letters last, each once", () => {
  expect(inOrder(["T", "10", "2", "A", "10", "1"])).toEqual(["1", "2", "10", "A", "T"]);
});
