// Numbers with their nouns: the one place that knows plurals.
const rules = new Intl.PluralRules("en-US");

/** plural returns the form of a word for a number: one claim is, two claims are. */
export function plural(n: number, one: string, other = `${one}s`): string {
  return rules.select(n) === "one" ? one : other;
}

/** count returns a number with its noun: 1 claim, 2 claims. */
export function count(n: number, one: string, other?: string): string {
  return `${n.toLocaleString("en-US")} ${plural(n, one, other)}`;
}
