// The patients that a person looked at last. They are in the memory of the tab alone: names are patient data.
import type { Mode } from "./client";

/** Seen is a patient with what tells them apart. */
export type Seen = { id: string; name: string; born: string };

const last = new Map<Mode, Seen[]>();

/** see remembers a patient as the one seen last. */
export function see(mode: Mode, patient: Seen): void {
  const rest = (last.get(mode) ?? []).filter((p) => p.id !== patient.id);
  last.set(mode, [patient, ...rest].slice(0, 5));
}

/** seen returns the patients who were seen last in a mode, the last one first. */
export function seen(mode: Mode): readonly Seen[] {
  return last.get(mode) ?? [];
}

/** forgetSeen forgets them, such as at the end of a session. */
export function forgetSeen(): void {
  last.clear();
}
