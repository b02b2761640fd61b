import { maxNarrative } from "./narrative";

/** obstacle says what keeps an attachment from being sent, or nothing: images that are chosen and not
 *  uploaded, what is missing, or too long a narrative. */
export function obstacle(
  chosen: number,
  narrative: number,
  [missing, what]: [boolean, string],
): string {
  if (chosen === 1) return "Upload or leave out the chosen image first.";
  if (chosen > 1) return `Upload or leave out the ${chosen} chosen images first.`;
  if (missing) return what;
  return narrative > maxNarrative ? "Shorten the narrative first." : "";
}
