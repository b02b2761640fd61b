// Who changed something.
import { useMe } from "../api/session";

/** Changer names the user, the program or the operator with an ID. */
export function Changer({ by }: { by: string }) {
  const { organization, user } = useMe();
  if (by === user?.id) return <>You</>;
  if (!by.startsWith("usr_")) return <>{by.startsWith("key_") ? "A program" : by}</>;
  return <>{organization.people.find((p) => p.id === by)?.name ?? "A user"}</>;
}
