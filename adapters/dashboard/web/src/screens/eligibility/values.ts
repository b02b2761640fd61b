// The values of a check in words: which value it is, and what it is. They are alike on all screens.
import type { Schemas } from "../../api/client";
import { day, dollars, printable, words } from "../../ui/format";
import { missing } from "./missing";

/** Amount is what a maximum or a deductible is for. */
type Amount = Pick<Schemas["BenefitAmount"], "level" | "period" | "applies_to">;

/** Amounts are the lists of a check whose rows have positions. */
export type Amounts = {
  maximums?: readonly Amount[] | null | undefined;
  deductibles?: readonly Amount[] | null | undefined;
  out_of_network?: Omit<Amounts, "out_of_network"> | null | undefined;
};

const one = { maximums: "maximum", deductibles: "deductible" } as const;

/** amountName names a maximum or a deductible. */
export function amountName(of: Partial<Amount>, list: keyof typeof one): string {
  const { level, period, applies_to } = of;
  return [
    words(level ? `${level} ${one[list]}` : one[list]),
    period && words(period).toLowerCase(),
    applies_to && printable(applies_to),
  ]
    .filter(Boolean)
    .join(", ");
}

const parts: Record<string, string> = {
  percent_paid: "percent that the plan pays",
  covered: "whether it is covered",
  copay: "copayment",
  remaining: "what is left",
  frequency: "how often",
  "frequency.count": "how many times",
  "frequency.used": "how many times used",
  "frequency.period": "in which period",
  "frequency.scope": "for what",
  months: "months to wait",
  until: "when the wait ends",
  max_age: "the highest age",
  last_service_date: "when it was last done",
  next_eligible_date: "when the plan pays again",
  alternate_code: "the procedure that it is paid as",
};

/** partName returns the name of a part of a row, such as percent that the plan pays. */
export const partName = (part: string): string =>
  parts[part] ?? words(part.replaceAll(".", " ")).toLowerCase();

/** valueName returns the path of a value in words, such as Individual maximum, calendar year:
 *  what is left. A row that the check lacks has the name that its value gives. */
export function valueName(path: string, check: Amounts, value?: unknown): string {
  const [of = "", row = "", ...rest] = path.split(".");
  const part = rest.join(".");
  const named = (name: string) => (part ? `${name}: ${partName(part)}` : name);
  switch (of) {
    case "out_of_network": {
      const name = valueName([row, ...rest].join("."), check.out_of_network ?? {}, value);
      return row ? `Out of network, ${name.charAt(0).toLowerCase()}${name.slice(1)}` : words(of);
    }
    case "maximums":
    case "deductibles": {
      const known = check[of]?.[Number(row || Number.NaN)] ?? (part ? undefined : rowOf(value));
      if (known) return named(amountName(known, of));
      return row ? named(`${words(one[of])} ${Number(row) + 1}`) : words(of);
    }
    case "waiting_periods":
      return row ? `${words(row)}: ${part ? partName(part) : "waiting period"}` : words(of);
    case "procedures":
      return row ? named(row) : words(of);
    case "coverage":
      if (part) return named(words(row));
  }
  return words(missing(path));
}

const rowOf = (value: unknown): Partial<Amount> | undefined =>
  typeof value === "object" && value !== null && "level" in value
    ? (value as Partial<Amount>)
    : undefined;

/** naming are the parts that the name of a row says. */
const naming = ["category", "code", "level", "period", "applies_to"];

/** said returns a value in words. That of a row leaves out what its name says. */
export function said(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (Array.isArray(value)) return value.map(said).join(", ") || "nothing";
  if (typeof value === "object") {
    const isRow = "level" in value || "category" in value || "code" in value;
    return Object.entries(value)
      .filter(([name, part]) => part !== null && !(isRow && naming.includes(name)))
      .map(([name, part]) => `${partName(name)} ${said(part)}`)
      .join(", ");
  }
  const text = String(value);
  if (/^-?\d+\.\d\d$/.test(text)) return dollars(text);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return day(text);
  return printable(/^[a-z]+(_[a-z]+)*$/.test(text) ? words(text) : text);
}
