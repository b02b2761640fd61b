// Who changed something, as far as the reader may know.
import { useClient } from "../api/client";
import { useMay, useMe } from "../api/session";

/** Changer names the user, the program or the operator with an ID. Owners see who the user is. */
export function Changer({ by }: { by: string }) {
  const { api } = useClient();
  const me = useMe();
  const may = useMay();
  const user = by.startsWith("usr_");
  const users = api.useQuery(
    "get",
    "/users",
    { params: { query: { limit: 100 } } },
    { enabled: may.manage && user },
  );
  if (by === me.user?.id) return <>You</>;
  const known = users.data?.data.find((u) => u.id === by);
  if (user) return <>{known?.name ?? known?.email ?? "A user"}</>;
  return <>{by.startsWith("key_") ? "A program" : by}</>;
}
