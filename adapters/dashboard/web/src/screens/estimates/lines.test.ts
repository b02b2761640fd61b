import { expect, test } from "vitest";
import {
  aService,
  asksOf,
  between,
  daysOf,
  deductibleCounts,
  type Estimate,
  type EstimateLine,
  limitsMet,
  lineOf,
  maximumCounts,
  sayings,
  serviceOf,
  visitOf,
  whole,
} from "./lines";

test("a range is said once if its ends are the same, the lower one first", () => {
  expect(between({ least: "120.00", most: "250.00" })).toBe("$120.00 to $250.00");
  expect(between({ least: "1250.00", most: "120.00" })).toBe("$120.00 to $1,250.00");
  expect(between({ least: "50.00", most: "50.00" })).toBe("$50.00");
});

test("a procedure asks only for what it needs", () => {
  const asked = (code: string) =>
    Object.entries(asksOf(code))
      .filter(([, needs]) => needs)
      .map(([what]) => what)
      .join(" ");
  expect(asked("D1110")).toBe("");
  expect(asked("D2392")).toBe("tooth surfaces");
  expect(asked("D2740")).toBe("tooth placed");
  expect(asked("D3330")).toBe("tooth");
  expect(asked("D4341")).toBe("area");
  expect(asked("D5213")).toBe("area lost placed");
  expect(asked("D6010")).toBe("tooth lost placed");
  expect(asked("D7140")).toBe("tooth");
  expect(asked("D2999")).toBe("");
});

test("a request has only what was entered", () => {
  expect(lineOf(aService("D1110"))).toEqual({ procedure_code: "D1110", quantity: 1 });
  const filled = {
    ...aService("D2392"),
    fee: "1,250",
    tooth: " 14 ",
    surfaces: "om",
    alternate: "d2150",
  };
  expect(lineOf(filled)).toEqual({
    procedure_code: "D2392",
    fee: "1250.00",
    quantity: 1,
    tooth: "14",
    surfaces: ["M", "O"],
    alternate_procedure_code: "D2150",
  });
});

test("a change of an estimate asks again for all that its line was asked for", () => {
  const source = { origin: "given", schedule_id: null, schedule_name: null } as const;
  const asked = {
    procedure_code: "D2392",
    fee: "300.00",
    allowed: "250.00",
    quantity: 1,
    tooth: "14",
    surfaces: ["M", "O"],
    oral_cavity: ["10"],
    service_date: "2026-12-01",
    last_service_date: "2026-02-01",
    tooth_lost_on: "2019-03-01",
    prior_placement_date: "2020-04-01",
    alternate_procedure_code: "D2150",
  };
  const exactly = (amount: string) => ({ least: amount, most: amount });
  const line = { ...asked, fee: exactly("300.00"), allowed: exactly("250.00") };
  const of = { ...line, fee_from: source, allowed_from: source } as unknown as EstimateLine;
  expect(lineOf(serviceOf(of))).toEqual(asked);
});

test("services are on the day of the check if that is to come", () => {
  expect(visitOf("2027-01-05", "2026-11-30")).toBe("2027-01-05");
  expect(visitOf("2026-11-30", "2026-11-30")).toBe("");
  expect(visitOf("2026-10-01", "2026-11-30")).toBe("");
});

test("a line has the day of the visit unless a person enters another one", () => {
  const entered = { ...aService("D2740"), service_date: "2027-02-01" };
  expect(lineOf(aService("D2740"), "2027-01-05").service_date).toBe("2027-01-05");
  expect(lineOf(entered, "2027-01-05").service_date).toBe("2027-02-01");
  expect(lineOf(aService("D2740"), "")).not.toHaveProperty("service_date");
});

test("the days of an estimate are said, each once", () => {
  const later = { ...aService("D2740"), service_date: "2027-02-01" };
  const visit = "2027-01-05";
  expect(daysOf([], visit)).toBe("For services on January 5, 2027");
  expect(daysOf([aService("D1110"), aService("D0120")], visit)).toBe(
    "For services on January 5, 2027",
  );
  expect(daysOf([later, aService("D1110")], visit)).toBe(
    "For services on January 5, 2027 and February 1, 2027",
  );
});

test("what is half typed waits", () => {
  const fee = (fee: string) => whole({ ...aService("D1110"), fee });
  expect(["", "12", "12.5", "12.50"].map(fee)).toEqual([true, true, true, true]);
  expect(["12.", "twelve"].map(fee)).toEqual([false, false]);
  expect(whole({ ...aService("D1110"), quantity: "" })).toBe(false);
  expect(whole({ ...aService("D1110"), alternate: "D27" })).toBe(false);
});

test("each sentence is said once", () => {
  expect(sayings([["a", "b"], ["b"]])).toEqual(["a", "b"]);
});

/** estimate returns an estimate of lines of which only what counts for the limits is known. */
const estimate = (...lines: Partial<EstimateLine>[]) => {
  const none = { least: "0.00", most: "0.00" };
  const line = {
    procedure: "crown",
    plan_pays: none,
    deductible_applied: none,
    deductible_left: none,
    maximum_left: none,
    paid_from: null,
  };
  return { lines: lines.map((l) => ({ ...line, ...l })) } as Estimate;
};
const some = { least: "10.00", most: "10.00" };

test("the sheet names only limits that another visit can use", () => {
  expect(deductibleCounts(estimate({}))).toBe(false);
  expect(deductibleCounts(estimate({}, { deductible_left: some }))).toBe(true);
  expect(deductibleCounts(estimate({ deductible_applied: some }))).toBe(true);
  expect(maximumCounts(estimate({}))).toBe(false);
  expect(maximumCounts(estimate({ plan_pays: some }))).toBe(true);
  expect(maximumCounts(estimate({ maximum_left: some }))).toBe(true);
});

test("the sheet says why the plan pays nothing", () => {
  expect(limitsMet(estimate({ maximum_left: null, plan_pays: some }))).toEqual([]);
  expect(limitsMet(estimate({ maximum_left: some }))).toEqual([]);
  expect(limitsMet(estimate({}, {}))).toEqual(["The maximum that your plan pays is used up."]);
  expect(limitsMet(estimate({ plan_pays: some }, {}))).toEqual([
    "These services use up the maximum that your plan pays.",
  ]);
  expect(limitsMet(estimate({ maximum_left: null, paid_from: "2027-03-30" }))).toEqual([
    "Crown: your insurance pays for it from Mar 30, 2027 on.",
  ]);
});
