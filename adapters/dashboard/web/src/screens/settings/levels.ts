import type { Schemas } from "../../api/client";

type Level = Schemas["AutomationLevel"];

/** levels are those of the automation: the name of each, and what Molar does without a person. */
export const levels: readonly { level: Level; name: string; does: string }[] = [
  { level: "review", name: "Review", does: "A person posts every remittance." },
  {
    level: "exceptions",
    name: "Exceptions",
    does: "Molar posts a remittance that balances and whose claims are all applied without a warning or a review. One with a provider adjustment or a reversal waits for a person. Denials do not stop it, and keep their tasks.",
  },
  {
    level: "automatic",
    name: "Automatic",
    does: "Molar also reconciles the settled claims of such a remittance once its money is in the bank, or at once if none is expected.",
  },
];

/** levelName returns the name of a level; a level that this page does not know is its own name. */
export const levelName = (level: string): string =>
  levels.find((l) => l.level === level)?.name ?? level;
