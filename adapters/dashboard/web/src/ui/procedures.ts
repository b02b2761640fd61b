// Short plain names of procedures, of our own. The service has the same table.
import table from "../../../../../core/billing/coverage/procedures.tsv?raw";

const names = new Map(
  table
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t", 2) as [code: string, name: string]),
);

/** procedureName returns a short plain name of a CDT code, such as adult cleaning of D1110: its own, else that
 *  of the longest group of codes that it is in. Without either it is empty. */
export function procedureName(code: string): string {
  for (let n = code.length; n >= 3; n--) {
    const name = names.get(code.slice(0, n));
    if (name) return name;
  }
  return "";
}

/** Named is a code with its name. */
export type Named = { code: string; name: string };

/** proceduresNamed returns up to some codes whose names have every word of a text, or that begin with it, with or
 *  without its D. A word may be the start of one; those that begin with the text come first. */
export function proceduresNamed(text: string, most = 8): Named[] {
  const sought = text.trim().toLowerCase();
  if (sought.length < 2) return [];
  const digits = /^\d{2,4}$/.test(sought) ? `d${sought}` : sought;
  const begins = (code: string) => code.toLowerCase().startsWith(digits);
  const parts = sought.split(/[\s,-]+/).filter(Boolean);
  const found: Named[] = [];
  for (const [code, name] of names) {
    if (code.length < 5) continue; // a group
    const words = name.toLowerCase().split(/[\s,-]+/);
    const fits = parts.every((p) => words.some((w) => w.startsWith(p)));
    if (fits || begins(code)) found.push({ code, name });
  }
  const rank = (n: Named) => (begins(n.code) || n.name.startsWith(sought) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, most);
}
