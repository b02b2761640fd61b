import { expect, test } from "vitest";
import { faultsByLine, textOf } from "./fee-file";

const bytes = (...of: number[]) => new Uint8Array(of).buffer;

test("a file is UTF-8 or Windows-1252", () => {
  expect(textOf(bytes(0x44, 0xc3, 0xbc))).toBe("Dü");
  expect(textOf(bytes(0x44, 0xfc))).toBe("Dü");
});

test("faults stand beside their lines", () => {
  const found = faultsByLine(
    [
      { field: "name", message: "A value is required." },
      { field: "csv.3.2", message: "Line 3, column 2: The amount is missing." },
      { field: "csv.2.1", message: "Line 2: a quotation mark is not closed." },
      { field: "csv.9.1", message: "Line 9, column 1: x" },
    ],
    "code,fee\r\nD0120,58.00\r\nD0140,\r\n",
  );
  expect(found).toEqual([
    { line: 3, column: 2, text: "D0140,", message: "The amount is missing." },
    { line: 2, column: 1, text: "D0120,58.00", message: "A quotation mark is not closed." },
    { line: 9, column: 1, text: "", message: "X" },
  ]);
});
