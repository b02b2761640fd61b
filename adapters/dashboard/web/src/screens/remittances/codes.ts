// The codes of remittances in words. The words for adjustments and remarks are
// the service's own file, so that every part of Molar says the same.
import table from "../../../../../../core/billing/remit/reasons.tsv?raw";

const reasons = new Map<string, string>();
for (const line of table.split("\n")) {
  const [kind, code, , label] = line.split("\t");
  if (kind === "reason" && code && label) reasons.set(code, label);
}

/** reasonLabel returns the words for a reason of an adjustment (CAS02). */
export const reasonLabel = (code: string): string =>
  reasons.get(code.toUpperCase()) ?? "Unknown reason";

const groups: Record<string, string> = {
  CO: "Contractual",
  PR: "Patient's part",
  OA: "Other",
  PI: "Payer's decision",
  CR: "Correction",
};

/** groupLabel returns the words for a group of adjustments (CAS01). */
export const groupLabel = (code: string): string => groups[code] ?? "Unknown group";

const statuses: Record<string, string> = {
  "1": "Processed as primary",
  "2": "Processed as secondary",
  "3": "Processed as tertiary",
  "4": "Denied",
  "19": "Processed as primary, forwarded",
  "20": "Processed as secondary, forwarded",
  "21": "Processed as tertiary, forwarded",
  "22": "Reversal of a payment",
  "23": "Not this payer's claim, forwarded",
  "25": "Estimate",
};

/** statusLabel returns the words for the payer's status of a claim (CLP02). */
export const statusLabel = (code: string): string => statuses[code] ?? `Status ${code}`;
