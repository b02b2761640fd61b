// What this browser used last, so that it stays first: payers and the office. It holds no patient data.
import { useClient } from "../api/client";
import { before } from "./first";
import type { PickedPayer } from "./payer-picker";

/** read returns what was kept under a name; without it, or if another release wrote it, the fallback. */
function read<T>(name: string, fallback: T): T {
  try {
    return (JSON.parse(localStorage.getItem(name) ?? "null") as T | null) ?? fallback;
  } catch {
    return fallback;
  }
}

/** useRecent returns the payers and the office that this browser used last in the mode, and a function that remembers
 *  the next ones. */
export function useRecent(): {
  payers: PickedPayer[];
  office: string;
  remember: (payer: PickedPayer | null, office: string) => void;
} {
  const { mode } = useClient();
  const name = `molar-recent-${mode}`;
  const kept = read<{ payers?: PickedPayer[]; office?: string }>(name, {});
  const payers = Array.isArray(kept.payers) ? kept.payers : [];
  return {
    payers,
    office: typeof kept.office === "string" ? kept.office : "",
    remember: (payer, office) => {
      const next = payer
        ? before({ id: payer.id, payer_id: payer.payer_id, name: payer.name }, payers)
        : payers;
      localStorage.setItem(name, JSON.stringify({ payers: next, office }));
    },
  };
}
