// Where people are signed in, and ending it.
import { useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { When } from "../../ui/format";
import { Empty, Page, Section } from "../../ui/page";
import { Badge } from "../../ui/state";
import { List, paged } from "../../ui/table";
import { SettingsParts } from "./parts";

export function Sessions() {
  const { api } = useClient();
  const may = useMay();
  const sessions = api.useInfiniteQuery(
    "get",
    "/sessions",
    { params: { query: { limit: 50 } } },
    paged,
  );
  const users = api.useQuery(
    "get",
    "/users",
    { params: { query: { limit: 100 } } },
    { enabled: may.manage },
  );
  const end = useSend(
    async (fetch, key, id: string) => {
      const { error } = await fetch.DELETE("/sessions/{id}", {
        params: { path: { id }, header: key },
      });
      return { data: true, error };
    },
    { says: "The session ends within two seconds." },
  );
  const person = (id: string) => {
    const user = users.data?.data.find((u) => u.id === id);
    return user?.name ?? user?.email;
  };
  return (
    <Page title="Settings">
      <SettingsParts />
      <Section flush>
        <List
          of={sessions}
          caption="Sessions"
          id={(s) => s.id}
          columns={[
            {
              head: "Device",
              cell: (s) => (
                <>
                  {s.current ? (
                    <Badge tone="good">This browser</Badge>
                  ) : (
                    <span className="strong">{device(s.user_agent)}</span>
                  )}
                  <span className="sub">{person(s.user_id) ?? device(s.user_agent)}</span>
                </>
              ),
            },
            { head: "Address", cell: (s) => s.address },
            { head: "Signed in", cell: (s) => <When value={s.created_at} real /> },
            { head: "Last used", cell: (s) => <When value={s.used_at} real /> },
            { head: "Ends", wide: true, cell: (s) => <When value={s.expires_at} full /> },
            {
              head: "Actions",
              right: true,
              cell: (s) =>
                !s.current && (
                  <Button
                    busy={end.isPending}
                    onClick={() => end.go(s.id)}
                    aria-label={`End the session of ${person(s.user_id) ?? device(s.user_agent)}`}
                  >
                    End
                  </Button>
                ),
            },
          ]}
          empty={<Empty title="No sessions" />}
        />
      </Section>
    </Page>
  );
}

/** device returns a browser and a system in words. */
function device(agent: string): string {
  const find = (of: [RegExp, string][]) => of.find(([r]) => r.test(agent))?.[1];
  const browser = find([
    [/Edg\//, "Edge"],
    [/Firefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/Safari\//, "Safari"],
    [/curl\//, "curl"],
  ]);
  const system = find([
    [/Windows/, "Windows"],
    [/iPhone|iPad/, "iOS"],
    [/Mac OS/, "macOS"],
    [/Android/, "Android"],
    [/Linux/, "Linux"],
  ]);
  return [browser ?? "Unknown program", system && `on ${system}`].filter(Boolean).join(" ");
}
