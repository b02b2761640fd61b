import { expect, test } from "vitest";
import { procedureName, proceduresNamed } from "./procedures";

test.each([
  ["D1110", "adult cleaning"],
  ["D2962", "veneer"],
  ["D9999", ""],
  ["", ""],
])("the name of %s is %s", (code, name) => {
  expect(procedureName(code)).toBe(name);
});

test.each([
  ["cleaning", ["D1110", "D1120"], ["D2740"]],
  ["clean adult", ["D1110"], ["D1120"]],
  ["porcelain crown", ["D2740", "D2750"], ["D2790"]],
  ["d011", [], ["D0120"]],
  ["D111", ["D1110"], ["D1120"]],
  ["2740", ["D2740"], ["D2750"]],
  ["274", ["D2740"], ["D2750"]],
  ["root canal molar", ["D3330"], ["D3310"]],
  ["root canal, molar", ["D3330"], ["D3310"]],
  ["c", [], ["D1110"]],
])("%s finds %j and not %j", (text, has, hasNot) => {
  const codes = proceduresNamed(text, 99).map((p) => p.code);
  for (const code of has) expect(codes).toContain(code);
  for (const code of hasNot) expect(codes).not.toContain(code);
});

test.each([
  ["crown", "D2740"],
  ["cleaning", "D1110"],
  ["root canal", "D3310"],
  ["filling", "D2140"],
  ["extraction", "D7140"],
  ["prophy", "D1110"],
  ["composite 2", "D2331"],
  ["perio", "D0120"],
  ["crown l", "D4249"],
  ["2980", "D2980"],
])("the first that %s finds is %s", (text, code) => {
  expect(proceduresNamed(text)[0]?.code).toBe(code);
});
