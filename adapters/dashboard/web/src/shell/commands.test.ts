import { describe, expect, test } from "vitest";
import type { MenuItem } from "../ui/menu";
import { actions, matching, type Offer, offered, screens } from "./commands";

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

describe("the open page", () => {
  const done: string[] = [];
  const does = (what: string) => () => done.push(what);
  const button = (label: string, of: Partial<Offer> = {}): Offer => ({
    label,
    begins: false,
    does: does(label),
    ...of,
  });
  const entry = (label: string, of: Partial<MenuItem> = {}): MenuItem => ({
    label,
    onSelect: does(label),
    ...of,
  });
  const page = offered([
    button("More", { menu: [entry("Copy as curl"), entry("Delete", { disabled: true })] }),
    button("Print", { menu: [entry("For the office"), entry("For the patient")] }),
    button("Check again", { begins: true }),
    button("New claim", { begins: true }),
    button("New check"),
    button("check again"),
    button(""),
  ]);

  test("offers its buttons and the entries of its menus, each once", () => {
    expect(page.map((c) => c.label)).toEqual([
      "Print: For the office",
      "Print: For the patient",
      "Check again",
      "New claim", // of this patient
      "Copy as curl",
    ]);
  });

  test("offers them by their words", () => {
    expect(matching(page, "curl").map((c) => c.label)).toEqual(["Copy as curl"]);
    expect(matching(page, "print pat").map((c) => c.label)).toEqual(["Print: For the patient"]);
  });

  test("does what the button or the entry does", () => {
    for (const c of page) c.does();
    expect(done).toEqual([
      "For the office",
      "For the patient",
      "Check again",
      "New claim",
      "Copy as curl",
    ]);
  });
});
