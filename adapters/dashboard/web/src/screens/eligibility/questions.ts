// What a payer can be asked by phone, and how what it says is written as an addition.
import type { CheckResource } from "./list";
import { valueName } from "./values";

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
  const add = (path: string, kind: Kind, of = path, row?: object) =>
    (lacks.has(of) ? first : rest).push({ path, label: valueName(path, c, row), kind });
  for (const [path, kind] of plain) add(path, kind);
  for (const category of categories) {
    const of = `coverage.${category}`;
    add(`${of}.percent_paid`, "percent", of);
  }
  for (const of of lacks) {
    const code = of.match(/^procedures\.(D\d{4})$/)?.[1];
    if (code) add(`${of}.percent_paid`, "percent", of);
  }
  for (const list of ["maximums", "deductibles"] as const) {
    const rows = c[list] ?? [];
    rows.forEach((_, i) => {
      add(`${list}.${i}.amount`, "money");
      add(`${list}.${i}.remaining`, "money");
    });
    if (rows.length === 0) add(`${list}.0`, "row", list, ofTheYear);
  }
  for (const category of categories.slice(2)) add(`waiting_periods.${category}.months`, "months");
  return [...first, ...rest];
}

const ofTheYear = { level: "individual", period: "calendar_year" };

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
      return { ...ofTheYear, amount };
    default:
      return trimmed;
  }
}
