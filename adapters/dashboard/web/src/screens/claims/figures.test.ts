import { describe, expect, test } from "vitest";
import { cents } from "../../ui/format";
import { estimated, paidOn, paidOnNone, settled } from "./figures";

type Claim = Parameters<typeof settled>[0];

const entry = (paid: string, lines: [number | null, string][], change: object = {}) => ({
  paid,
  cancelled_by: null,
  lines: lines.map(([line_number, paid]) => ({ line_number, paid })),
  ...change,
});

const claim = (change: object): Claim =>
  ({
    kind: "claim",
    totals: { charge: "1295.00" },
    lines: [{}, {}],
    payment: { paid: "828.80", patient_responsibility: "207.20" },
    contractual: "259.00",
    accepted: [],
    open: "0.00",
    estimate: null,
    adjudications: [],
    ...change,
  }) as unknown as Claim;

const paid = entry("828.80", [
  [1, "800.00"],
  [2, "28.80"],
]);

describe("what a line was paid", () => {
  const reversed = { ...paid, cancelled_by: { era_id: "era_2", ordinal: 1 } };
  const reversal = entry("-828.80", [
    [1, "-800.00"],
    [2, "-28.80"],
  ]);
  test.each([
    ["once", [paid], ["800.00", "28.80"], "0.00"],
    ["and taken back", [reversed, reversal], ["0.00", "0.00"], "0.00"],
    ["and corrected", [reversed, reversal, paid], ["800.00", "28.80"], "0.00"],
    [
      "and one line taken back",
      [paid, entry("-28.80", [[2, "-28.80"]])],
      ["800.00", "0.00"],
      "0.00",
    ],
    [
      "in part on no line",
      [
        entry("50.00", [
          [1, "40.00"],
          [null, "10.00"],
        ]),
      ],
      ["40.00", null],
      "10.00",
    ],
    ["without lines", [entry("50.00", [])], [null, null], "50.00"],
    ["never", [], [null, null], "0.00"],
  ])("%s", (_, adjudications, lines, none) => {
    const c = claim({ adjudications });
    expect([paidOn(c, 1), paidOn(c, 2)]).toEqual(lines);
    expect(paidOnNone(c)).toBe(none);
  });

  test("of an estimate", () => {
    const lines = [{ line_number: 2, pay: "36.00" }];
    const c = claim({ kind: "predetermination", estimate: { pay: "40.00", lines } });
    expect([paidOn(c, 1), paidOn(c, 2), paidOnNone(c)]).toEqual([null, "36.00", "4.00"]);
  });
});

describe("where a charge went", () => {
  const accepted = [{ lines: [{ amount: "60.00" }, { amount: "40.00" }] }];
  test.each([
    ["paid in part", {}, "Write-off 259.00, Paid 828.80, Patient owes 207.20, Open 0.00"],
    [
      "also by another payer",
      { payment: { paid: "828.80", patient_responsibility: "7.20" } },
      "Write-off 259.00, Paid 828.80, Other payers 200.00, Patient owes 7.20, Open 0.00",
    ],
    [
      "accepted in part",
      { payment: { paid: "700.00", patient_responsibility: "207.20" }, open: "28.80", accepted },
      "Write-off 259.00, Paid 700.00, Patient owes 207.20, Accepted 100.00, Open 28.80",
    ],
    [
      "paid too much",
      { payment: { paid: "1100.00", patient_responsibility: "0.00" }, open: "-64.00" },
      "Write-off 259.00, Paid 1100.00, Patient owes 0.00, Overpaid -64.00",
    ],
    ["not decided", { payment: null }, ""],
  ])("%s", (_, change, want) => {
    const c = claim(change);
    const parts = settled(c);
    expect(parts.map((p) => p.join(" ")).join(", ")).toBe(want);
    if (want) expect(parts.reduce((n, [, a]) => n + cents(a), 0)).toBe(cents(c.totals.charge));
  });

  test("by an estimate", () => {
    const c = claim({ estimate: { pay: "828.80", patient: "207.20", lines: [] } });
    expect(estimated(c)).toEqual([
      ["Not allowed", "259.00"],
      ["Plan pays", "828.80"],
      ["Patient pays", "207.20"],
    ]);
  });
});
