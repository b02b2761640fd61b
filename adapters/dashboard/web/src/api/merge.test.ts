import { describe, expect, test } from "vitest";
import { merge } from "./merge";

describe("a form that another person's change reaches", () => {
  const line = (fee: string, key = 1) => ({ key, fee });
  const begun = { note: "", subscriber: { member_id: "W1", zip: "1" }, lines: [line("1.00")] };

  test("keeps what was typed, and takes the rest", () => {
    const typed = { ...begun, note: "mine", subscriber: { member_id: "W1", zip: "2" } };
    const now = { note: "", subscriber: { member_id: "W2", zip: "1" }, lines: [line("9.00", 7)] };
    expect(merge(begun, typed, now)).toEqual({
      note: "mine",
      subscriber: { member_id: "W2", zip: "2" },
      lines: [line("9.00", 7)],
    });
  });

  test("keeps what both changed as it was typed", () => {
    const typed = { ...begun, note: "mine", lines: [line("2.00"), line("3.00", 2)] };
    const now = { ...begun, note: "theirs", lines: [line("9.00", 7)] };
    expect(merge(begun, typed, now)).toEqual(typed);
  });

  test("keeps what was cleared", () => {
    expect(merge({ a: "x" as string | null }, { a: null }, { a: "y" })).toEqual({ a: null });
  });
});
