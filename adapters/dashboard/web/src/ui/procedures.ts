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

// What general practices do most, so that a short text finds it first.
const common = new Set(
  `D0120 D0140 D0150 D0210 D0220 D0230 D0272 D0274 D0330 D1110 D1120 D1206 D1208 D1351 D2140 D2150 D2160
  D2330 D2331 D2332 D2391 D2392 D2393 D2740 D2750 D2930 D2950 D3310 D3320 D3330 D4341 D4342 D4355 D4910
  D5110 D5120 D5213 D5214 D6010 D6058 D6240 D7140 D7210 D7240 D8080 D9110 D9230 D9944`.split(/\s+/),
);

// What offices call by another word than our names do.
const alike: Record<string, string> = {
  bitewing: "bitewings",
  checkup: "periodic",
  cleaning: "prophylaxis",
  deep: "scaling srp periodontal",
  gum: "periodontal",
  panoramic: "panorex",
  porcelain: "ceramic",
  removal: "extraction",
  silver: "amalgam",
  white: "composite",
};

/** proceduresNamed returns up to some codes whose names have every word of a text, or that begin with it, with or
 *  without its D. A word may be the start of one. Codes that begin with the text come first, then what practices do
 *  most, then names that begin with it. */
export function proceduresNamed(text: string, most = 8): Named[] {
  const sought = text.trim().toLowerCase();
  if (sought.length < 2) return [];
  const digits = /^\d{2,4}$/.test(sought) ? `d${sought}` : sought;
  const begins = (code: string) => code.toLowerCase().startsWith(digits);
  const parts = sought.split(/[\s,-]+/).filter(Boolean);
  const found: Named[] = [];
  for (const [code, name] of names) {
    if (code.length < 5) continue; // a group
    const own = name.toLowerCase().split(/[\s,-]+/);
    const words = [...own, ...own.flatMap((w) => alike[w]?.split(" ") ?? [])];
    const fits = parts.every((p) => words.some((w) => w.startsWith(p)));
    if (fits || begins(code)) found.push({ code, name });
  }
  const rank = ({ code, name }: Named) =>
    [begins(code), common.has(code), name.startsWith(sought), true].indexOf(true);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, most);
}
