import { expect, test } from "vitest";
import { standing } from "./standing";

const before = {
  email: "kim@",
  patient: null,
  lines: [{ fee: "1" }, { tooth: "14", teeth: undefined }],
};

test.each([
  ["nothing changed", "email", before, true],
  ["another field changed", "email", { ...before, patient: {} }, true],
  ["the field changed", "email", { ...before, email: "kim@cedar.example" }, false],
  ["a list below changed", "lines", { ...before, lines: [] }, false],
  [
    "another line changed",
    "lines.1.tooth",
    { ...before, lines: [{ fee: "2" }, before.lines[1]] },
    true,
  ],
  [
    "the line changed",
    "lines.1.tooth",
    { ...before, lines: [before.lines[0], { tooth: "15" }] },
    false,
  ],
  ["the line is gone", "lines.1.tooth", { ...before, lines: [before.lines[0]] }, false],
  [
    "a missing part was filled in",
    "patient.first_name",
    { ...before, patient: { first_name: "A" } },
    false,
  ],
  ["the path is in no request, and what is above it stays", "lines.0.area", { ...before }, true],
  [
    "the path is in no request, and what is above it changed",
    "lines.0.area",
    { ...before, lines: [{ fee: "2" }] },
    false,
  ],
  ["no field", null, { ...before, email: "" }, true],
])("%s", (_, path, now, want) => {
  expect(standing(path, before, now)).toBe(want);
});
