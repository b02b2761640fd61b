import { expect, test } from "vitest";
import { actions, matching, screens } from "./commands";

const all = [...actions, ...screens];
const labels = (text: string) => matching(all, text).map((c) => c.label);

test.each([
  ["new check", "New check"],
  ["verify", "Verify a schedule"],
  ["verify cov", "New check"],
  ["tomorrow", "Verify a schedule"],
  ["x-ray", "New attachment"],
  ["claims", "Claims"],
  ["bill", "New claim"],
  ["835", "Import a remittance"],
  ["era", "Import a remittance"],
  ["prices", "Import a fee schedule"],
  ["dentist", "New provider"],
  ["password", "Settings"],
  ["invite", "Users"],
  ["who saw", "Audit"],
  ["preauth", "Predeterminations"],
  ["new elig", "New check"],
])("%s finds %s first", (text, label) => {
  expect(labels(text)[0]).toBe(label);
});

test("a word that nothing begins with finds nothing", () => {
  expect(labels("zzz")).toEqual([]);
  expect(labels("new zzz")).toEqual([]);
});

test("without a text all are there, and no label twice", () => {
  expect(labels("")).toHaveLength(all.length);
  expect(new Set(all.map((c) => c.label)).size).toBe(all.length);
});
