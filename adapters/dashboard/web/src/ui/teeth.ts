// The teeth in the universal numbering: their names, surfaces and neighbors.

/** Tooth is a place in the mouth: 1 to 32 for permanent teeth, A to T for primary ones. */
export type Tooth = {
  id: string;
  name: string; // "upper left first molar"
  kind: "molar" | "premolar" | "canine" | "incisor";
  primary: boolean;
  upper: boolean;
  right: boolean; // on the patient's right, which is the left of a chart
  step: number; // from the midline, from 1
};

const permanent: readonly string[] = [
  "central incisor",
  "lateral incisor",
  "canine",
  "first premolar",
  "second premolar",
  "first molar",
  "second molar",
  "third molar",
];
const primary: readonly string[] = [
  "central incisor",
  "lateral incisor",
  "canine",
  "first molar",
  "second molar",
];

const kinds = ["premolar", "molar", "canine", "incisor"] as const;

function row(ids: string[], upper: boolean, isPrimary: boolean): Tooth[] {
  const names = isPrimary ? primary : permanent;
  return ids.map((id, i) => {
    const right = i < names.length;
    const step = right ? names.length - i : i - names.length + 1;
    const what = names[step - 1] ?? "";
    const words = [
      upper ? "upper" : "lower",
      right ? "right" : "left",
      isPrimary && "primary",
      what,
    ];
    return {
      id,
      name: words.filter(Boolean).join(" "),
      kind: kinds.find((k) => what.endsWith(k)) ?? "incisor",
      primary: isPrimary,
      upper,
      right,
      step,
    };
  });
}

const numbers = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, i) =>
    String(from < to ? from + i : from - i),
  );

/** rows are the teeth as a chart shows them, from the patient's right to the left: the permanent and
 *  the primary upper teeth, the primary and the permanent lower teeth. */
export const rows: readonly (readonly Tooth[])[] = [
  row(numbers(1, 16), true, false),
  row([..."ABCDEFGHIJ"], true, true),
  row([..."TSRQPONMLK"], false, true),
  row(numbers(32, 17), false, false),
];

const byID = new Map(rows.flat().map((t) => [t.id, t]));

/** findTooth returns the tooth with a number or letter. A supernumerary tooth, 51 to 82 or AS to TS, is
 *  at its neighbor's place. */
export function findTooth(id: string): Tooth | undefined {
  if (/^[A-T]S$/.test(id)) return byID.get(id.slice(0, 1));
  return byID.get(Number(id) > 50 ? String(Number(id) - 50) : id);
}

/** front reports whether a tooth is an incisor or a canine: it has an edge, I, and its outer surface is
 *  facial, F. */
export function front(t: Tooth): boolean {
  return t.kind === "incisor" || t.kind === "canine";
}

/** Side is a surface by its place: the middle is O or I, the outer one B or F. */
export type Side = "middle" | "mesial" | "distal" | "outer" | "lingual";

const sides: Record<string, Side> = {
  O: "middle",
  I: "middle",
  M: "mesial",
  D: "distal",
  B: "outer",
  F: "outer",
  L: "lingual",
};

/** sideOf returns the place of a surface. */
export function sideOf(surface: string): Side | undefined {
  return sides[surface.toUpperCase()];
}

/** surfaceOf returns the letter of a surface of a tooth. */
export function surfaceOf(t: Tooth, side: Side): string {
  return {
    middle: front(t) ? "I" : "O",
    outer: front(t) ? "F" : "B",
    mesial: "M",
    distal: "D",
    lingual: "L",
  }[side];
}

const words: Record<string, string> = {
  M: "mesial",
  O: "occlusal",
  D: "distal",
  B: "buccal",
  F: "facial",
  L: "lingual",
  I: "incisal",
};

/** surfaceWord returns the name of a surface. */
export function surfaceWord(letter: string): string {
  return words[letter] ?? letter;
}

/** ordered returns surfaces in the order in which dentists write them: MOD, DO, MIFL, OB. */
export function ordered(surfaces: readonly string[]): string[] {
  const order = surfaces.includes("M") ? "MOIDBFL" : "DOIBFL";
  return [...new Set(surfaces)].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** toggled returns the surfaces of a tooth with one more or one less. */
export function toggled(surfaces: readonly string[], t: Tooth, side: Side): string[] {
  const has = surfaces.some((s) => sideOf(s) === side);
  return ordered(
    has ? surfaces.filter((s) => sideOf(s) !== side) : [...surfaces, surfaceOf(t, side)],
  );
}

/** kept returns the surfaces that another tooth has too, by its own letters. */
export function kept(surfaces: readonly string[], t: Tooth): string[] {
  return ordered(surfaces.flatMap((s) => toggled([], t, sideOf(s) ?? "middle")));
}

/** inOrder returns teeth in the order of their numbers, letters last. */
export function inOrder(teeth: readonly string[]): string[] {
  const rank = (id: string) => (/^\d/.test(id) ? Number(id) : 100 + id.charCodeAt(0));
  return [...new Set(teeth)].sort((a, b) => rank(a) - rank(b));
}
