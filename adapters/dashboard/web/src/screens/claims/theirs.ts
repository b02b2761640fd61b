// What another person saved in a field of a claim that both changed, in words.
import { day, dollars } from "../../ui/format";
import { type ClaimForm, contentOf } from "./form-data";

/** theirs returns what is saved in a field of the contract and differs from what was typed: a text, or for a section
 *  such as the services the entries that differ; null if both are the same. Names has the names of IDs. */
export function theirs(
  field: string,
  saved: ClaimForm,
  typed: ClaimForm,
  names: ReadonlyMap<string, string>,
): string | readonly string[] | null {
  const [is, mine] = [saved, typed].map((f) =>
    field
      .split(".")
      .reduce<unknown>((v, name) => (v as Record<string, unknown> | null | undefined)?.[name], {
        ...f,
        ...contentOf(f),
      }),
  );
  if (JSON.stringify(is) === JSON.stringify(mine)) return null;
  if (!hasEntries(is) && !hasEntries(mine)) return inWords(is, names) || "nothing";
  const [all, typedOnes] = [is, mine].map((list) =>
    ((list ?? []) as unknown[]).map((entry) => inWords(entry, names)),
  );
  const kind = field === "lines" ? "Line" : "Plan";
  return Array.from({ length: Math.max(all?.length ?? 0, typedOnes?.length ?? 0) }, (_, i) =>
    all?.[i] === typedOnes?.[i] ? "" : `${kind} ${i + 1}: ${all?.[i] ?? "not there"}`,
  ).filter(Boolean);
}

const hasEntries = (v: unknown): boolean =>
  Array.isArray(v) && v.some((entry) => typeof entry === "object");

function inWords(v: unknown, names: ReadonlyMap<string, string>): string {
  if (typeof v === "boolean") return v ? "yes" : "no";
  if (typeof v === "number") return String(v);
  if (typeof v === "string") return textInWords(v, names);
  if (Array.isArray(v)) return v.map((part) => inWords(part, names)).join(" ");
  return Object.entries(v ?? {})
    .filter(([name, part]) => !(name === "quantity" && part === 1))
    .map(([, part]) => inWords(part, names))
    .filter(Boolean)
    .join(", ");
}

function textInWords(s: string, names: ReadonlyMap<string, string>): string {
  if (/^\d{4}-\d\d-\d\d$/.test(s)) return day(s);
  return /^-?\d+\.\d\d$/.test(s) ? dollars(s) : (names.get(s) ?? s);
}
