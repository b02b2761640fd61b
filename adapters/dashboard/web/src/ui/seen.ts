import { useEffect } from "react";
import { useClient } from "../api/client";
import { see } from "../api/seen";
import { name } from "./format";

/** useSeen remembers the patient of a screen as the one seen last. */
export function useSeen(
  id: string | null | undefined,
  person: { first_name: string; last_name: string; date_of_birth: string } | undefined,
): void {
  const { mode } = useClient();
  const called = person && name(person);
  const born = person?.date_of_birth;
  // What was seen is outside React.
  useEffect(() => {
    if (id && called && born) see(mode, { id, name: called, born });
  }, [mode, id, called, born]);
}
