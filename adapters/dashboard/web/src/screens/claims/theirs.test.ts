import { describe, expect, test } from "vitest";
import { aClaim, aLine, anOther } from "./form-data";
import { theirs } from "./theirs";

const names = new Map([
  ["prv_1", "Ann Rivers"],
  ["off_1", "Main Street"],
]);
const filling = () => ({
  ...aLine("2026-01-09"),
  procedure_code: "D2391",
  teeth: "14",
  surfaces: "MO",
  fee: "180.00",
});
const film = () => ({ ...aLine("2026-01-09"), procedure_code: "D0220", fee: "45" });

describe("what another person saved", () => {
  const saved = { ...aClaim(), office_id: "off_1", note: "Theirs.", lines: [filling(), film()] };
  test("is nothing where both have the same", () => {
    const typed = { ...saved, lines: [filling(), film()] };
    expect(theirs("lines", saved, typed, names)).toBeNull();
    expect(theirs("note", saved, typed, names)).toBeNull();
  });
  test("of a field is its text, or the name of what it refers to", () => {
    const typed = {
      ...saved,
      note: "Mine.",
      office_id: "off_2",
      assignment_of_benefits: false,
      place_of_service: "11",
      missing_teeth: "1, 16",
    };
    expect(theirs("note", saved, typed, names)).toBe("Theirs.");
    expect(theirs("office_id", saved, typed, names)).toBe("Main Street");
    expect(theirs("assignment_of_benefits", saved, typed, names)).toBe("yes");
    expect(theirs("place_of_service", saved, typed, names)).toBe("nothing");
    expect(theirs("missing_teeth", typed, saved, names)).toBe("1 16");
  });
  test("of the services is each line that differs", () => {
    const typed = { ...saved, lines: [{ ...filling(), fee: "190.00" }, film(), film()] };
    expect(theirs("lines", saved, typed, names)).toEqual([
      "Line 1: D2391, Jan 9, 2026, $180.00, 14, M O",
      "Line 3: not there",
    ]);
  });
  test("of other plans is each plan that differs", () => {
    const typed = { ...saved, other: [anOther("secondary")] };
    expect(theirs("other_coverage", saved, typed, names)).toEqual(["Plan 1: not there"]);
  });
});
