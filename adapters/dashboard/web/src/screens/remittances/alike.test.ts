import { describe, expect, test } from "vitest";
import { compared, doubts, likeness } from "./alike";

type Payment = Parameters<typeof compared>[0];
type Claim = Parameters<typeof compared>[1];

const payment = (change: Partial<Payment> = {}): Payment => ({
  patient_name: { first_name: "JOSÉ", last_name: "O'BRIEN" },
  member_id: "W55-1",
  patient_control_number: "ABCDEFGH12345",
  charge: "1295.00",
  paid: "828.80",
  service_dates: { first: "2026-03-01", last: "2026-03-01" },
  ...change,
});

const claim = (change: object = {}): Claim =>
  ({
    patient_name: { first_name: "Jose", last_name: "OBrien" },
    patient_control_number: "ABCDEFGH1234567890",
    totals: { charge: "1295.00", lines: 2 },
    open: "1295.00",
    service_dates: { first: "2026-03-01", last: "2026-03-01" },
    subscriber: { member_id: "W551" },
    payment: null,
    state: "accepted_payer",
    ...change,
  }) as unknown as Claim;

const other = { patient_name: { first_name: "Dora", last_name: "Denied" } };

describe("a payment and a claim", () => {
  test("are alike whatever case, accents and signs the payer changes, and with a cut number", () => {
    expect(compared(payment(), claim()).filter((s) => s.same !== true)).toEqual([]);
    expect(doubts(payment(), claim())).toEqual([]);
  });

  test("differ in what both state", () => {
    const sides = compared(
      payment({ member_id: null, charge: "45.00", patient_control_number: "A" }),
      claim({ ...other, service_dates: { first: null, last: null }, open: "10.00" }),
    );
    expect(sides.map((s) => [s.what, s.same])).toEqual([
      ["patient", false],
      ["member ID", null],
      ["control number", false],
      ["service date", null],
      ["charge", false],
      ["open amount", false],
    ]);
    expect(sides[0]).toMatchObject({ payer: "JOSÉ O'BRIEN", claim: "Dora Denied" });
  });

  test("of the same patient stand before those of the same charge, and open ones before paid ones", () => {
    const p = payment({ patient_control_number: "" });
    const order = [
      claim(),
      claim({ open: "0.00" }),
      claim({ totals: { charge: "45.00", lines: 1 }, open: "45.00" }),
      claim({ ...other, subscriber: { member_id: "X" } }),
      claim({ ...other, subscriber: { member_id: "X" }, open: "0.00" }),
    ].map((c) => likeness(p, c));
    expect(order).toEqual([...order].sort((a, b) => b - a));
    expect(new Set(order).size).toBe(order.length);
  });

  test("leave a doubt when the patient is another one, or the claim is paid", () => {
    expect(doubts(payment(), claim(other))).toEqual([
      "The payer names JOSÉ O'BRIEN. The claim is for Dora Denied.",
    ]);
    const nameless = payment({ patient_name: { first_name: "", last_name: "" } });
    expect(doubts(nameless, claim())).toEqual([]);
    expect(doubts(nameless, claim({ subscriber: { member_id: "X" } }))).toEqual([
      "The payer names W55-1. The claim is for Jose OBrien.",
    ]);
    expect(doubts(payment(), claim({ payment: { paid: "828.80" }, open: "0.00" }))).toEqual([
      "The payers have paid $828.80 of $1,295.00 for this claim, and $0.00 is open.",
    ]);
    expect(doubts(payment(), claim({ state: "returned" }))).toEqual([
      "The claim has an estimate already.",
    ]);
  });
});
