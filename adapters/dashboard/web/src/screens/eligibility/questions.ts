// What a payer can be asked by phone, and how what it says is written as an addition.
import { words } from "../../ui/format";
import type { CheckResource } from "./list";
import { missing } from "./missing";

/** Kind is how a value is entered. */
export type Kind = "percent" | "money" | "date" | "text" | "months" | "network" | "row";

/** Question is a value that can be added, by its path. */
export type Question = { path: string; label: string; kind: Kind };

const categories = [
  "preventive",
  "diagnostic",
  "basic",
  "endodontics",
  "periodontics",
  "oral_surgery",
  "major",
  "prosthodontics",
  "implants",
  "orthodontics",
];

/** questions lists what can be added to a check: what the payer did not return comes first. */
export function questions(c: CheckResource): Question[] {
  const lacks = new Set(c.not_returned ?? []);
  const first: Question[] = [];
  const rest: Question[] = [];
  const add = (path: string, label: string, kind: Kind, of = path) =>
    (lacks.has(of) ? first : rest).push({ path, label, kind });
  for (const [path, kind] of plain) add(path, words(missing(path)), kind);
  for (const category of categories) {
    const of = `coverage.${category}`;
    add(`${of}.percent_paid`, `${words(category)}: percent that the plan pays`, "percent", of);
  }
  for (const of of lacks) {
    const code = of.match(/^procedures\.(D\d{4})$/)?.[1];
    if (code) add(`${of}.percent_paid`, `${code}: percent that the plan pays`, "percent", of);
  }
  for (const [list, one] of [
    ["maximums", "maximum"],
    ["deductibles", "deductible"],
  ] as const) {
    const rows = c[list] ?? [];
    rows.forEach((r, i) => {
      const name = [`${words(r.level)} ${one}`, words(r.period).toLowerCase(), r.applies_to]
        .filter(Boolean)
        .join(", ");
      add(`${list}.${i}.amount`, `${name}: amount`, "money");
      add(`${list}.${i}.remaining`, `${name}: what is left`, "money");
    });
    if (rows.length === 0) add(`${list}.0`, `Individual ${one} for the year`, "row", list);
  }
  for (const category of categories.slice(2))
    add(`waiting_periods.${category}.months`, `${words(category)}: months to wait`, "months");
  return [...first, ...rest];
}

const plain: readonly (readonly [string, Kind])[] = [
  ["plan_rules.missing_tooth_clause", "text"],
  ["plan_rules.waiting_period", "text"],
  ["plan_rules.pre_authorization", "text"],
  ["plan_rules.coordination_of_benefits", "text"],
  ["coverage_effective_date", "date"],
  ["coverage_termination_date", "date"],
  ["network_status", "network"],
  ["plan.name", "text"],
  ["plan.type", "text"],
  ["plan.group_number", "text"],
  ["plan.benefit_period", "text"],
];

/** entered returns what was entered in the form of the API, which refuses what is none. */
export function entered(kind: Kind, text: string): unknown {
  const trimmed = text.trim();
  const amount = /^\d+$/.test(trimmed) ? `${trimmed}.00` : trimmed;
  switch (kind) {
    case "percent":
    case "months":
      return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
    case "money":
      return amount;
    case "row":
      return { level: "individual", period: "calendar_year", amount };
    default:
      return trimmed;
  }
}

/** said returns the value of an addition in words. */
export function said(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${words(name).toLowerCase()} ${said(part)}`)
    .join(", ");
}
