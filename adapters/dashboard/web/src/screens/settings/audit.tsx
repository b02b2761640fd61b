// Who did what, and who looked at which patient.

import { type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import type { Searches } from "../../api/searches";
import { screenOf } from "../../shell/places";
import { DayFilter, SelectField, TextField } from "../../ui/form";
import { dateIn, daysAfter, midnight, None, useZone, When } from "../../ui/format";
import { GoTo } from "../../ui/link";
import { Empty, Page, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { List, paged } from "../../ui/table";
import { levelName } from "./levels";
import { SettingsParts } from "./parts";

type Filters = Searches["/settings/audit"];

export function Audit() {
  const { api } = useClient();
  const [filters, set] = useFilters("/settings/audit");
  const users = api.useQuery("get", "/users", { params: { query: { limit: 100 } } });
  const zone = useZone();
  const { created_after: after, created_before: before } = filters;
  const entries = api.useInfiniteQuery(
    "get",
    "/audit_entries",
    { params: { query: { ...filters, limit: 50 } } },
    paged,
  );
  return (
    <Page title="Settings">
      <SettingsParts />
      <Section flush>
        <div className="filters">
          <SelectField
            label="Who"
            value={filters.user_id ?? filters.actor ?? ""}
            onChange={(v) => set(chosen(v))}
            options={[
              ...actors,
              ...(users.data?.data ?? []).map(
                (u) => [u.id, u.name ? `${u.name}, ${u.email}` : u.email] as const,
              ),
            ]}
          />
          <SelectField
            label="What"
            value={shows(filters)}
            onChange={(v) => set(kinds[v] ?? {})}
            options={whats}
          />
          <TextField
            label="Resource"
            value={filters.resource_id ?? ""}
            onChange={(v) => set({ resource_id: v.trim() || undefined })}
            placeholder="ID of a patient, claim, …"
          />
          <DayFilter
            label="From"
            value={after ? dateIn(zone, new Date(after)) : ""}
            onChange={(v) => set({ created_after: v ? midnight(v, zone) : undefined })}
          />
          <DayFilter
            label="Until"
            value={before ? daysAfter(dateIn(zone, new Date(before)), -1) : ""}
            onChange={(v) =>
              set({ created_before: v ? midnight(daysAfter(v, 1), zone) : undefined })
            }
          />
        </div>
        <List
          of={entries}
          caption="Audit"
          id={(e) => e.id}
          columns={[
            {
              head: "What",
              cell: (e) => (
                <>
                  <span className="strong">{says(e)}</span>
                  <span className="sub">
                    <code>{e.operation}</code>
                  </span>
                </>
              ),
            },
            {
              head: "Who",
              cell: (e) => (
                <Actor entry={e} name={users.data?.data.find((u) => u.id === e.user_id)?.name} />
              ),
            },
            { head: "Resource", cell: (e) => <Resource entry={e} /> },
            { head: "From", wide: true, cell: (e) => <From entry={e} /> },
            {
              head: "Mode",
              wide: true,
              cell: (e) => e.mode ?? <None />,
            },
            { head: "When", cell: (e) => <When value={e.created_at} full /> },
          ]}
          empty={
            <Empty title="No entry matches">
              Each request by a person or an API key is listed here, and what an operator of the
              service did.
            </Empty>
          }
        />
      </Section>
      <p className="muted small">
        To see who looked at a patient, enter the patient’s ID as the resource. It also finds lists,
        searches, files and images that showed the patient.
      </p>
    </Page>
  );
}

const actors = [
  ["", "Everyone"],
  ["user", "All people"],
  ["key", "All API keys"],
  ["operator", "Operators of the service"],
  ["rule", "Automation"],
] as const;

const whats = [
  ["", "Everything"],
  ["foreground", "Without what pages did automatically"],
  ["changes", "Changes only"],
] as const;

/** chosen returns the filter by who did it: a kind of actor, or a person. */
function chosen(value: string): Filters {
  return value.startsWith("usr_")
    ? { user_id: value, actor: undefined }
    : { user_id: undefined, actor: (value || undefined) as Filters["actor"] };
}

const kinds: Record<string, Pick<Filters, "background" | "changes">> = {
  "": { background: undefined, changes: undefined },
  foreground: { background: false, changes: undefined },
  changes: { background: undefined, changes: true },
};

/** shows returns the choice of the filter by what was done. */
function shows(filters: Filters): string {
  if (filters.changes) return "changes";
  return filters.background === false ? "foreground" : "";
}

function Actor({
  entry: { actor, background, operator },
  name,
}: {
  entry: Schemas["AuditEntry"];
  name: string | null | undefined;
}) {
  const user = operator ? `signed in with a link of the operator ${operator}` : "";
  const kind = { user, key: "API key", operator: "Operator of the service", rule: "" }[actor.kind];
  const sub = [name && actor.name, kind, background && "by the page itself"]
    .filter(Boolean)
    .join(", ");
  return (
    <>
      <span>
        {actor.kind === "rule" ? `Automation: ${levelName(actor.name)}` : (name ?? actor.name)}
      </span>
      {sub && <span className="sub">{sub}</span>}
    </>
  );
}

function From({ entry: { actor, address, agent } }: { entry: Schemas["AuditEntry"] }) {
  if (actor.kind === "operator") return <span className="muted">Command line</span>;
  if (actor.kind === "rule") return <span className="muted">Molar itself</span>;
  if (!address) return <span className="muted">Not shown, and the time to the hour</span>;
  return (
    <>
      {address}
      {agent && <span className="sub">{agent}</span>}
    </>
  );
}

function Resource({ entry: e }: { entry: Schemas["AuditEntry"] }) {
  const place = e.resource_id ? screenOf(e.resource_id) : undefined;
  return (
    <>
      {place && (
        <GoTo target={place}>
          <code className="wrap-anywhere">{e.resource_id}</code>
        </GoTo>
      )}
      {!place && e.resource_id && <code className="wrap-anywhere">{e.resource_id}</code>}
      {!e.resource_id && <None />}
      {e.filters && (
        <span className="sub wrap-anywhere">
          {Object.entries(e.filters)
            .map(([name, value]) => [name.replaceAll("_", " "), value].filter(Boolean).join(" "))
            .join(", ") || "all of them"}
        </span>
      )}
      {!e.filters && e.shown_ids.length > 0 && (
        <span className="sub">
          showed {count(e.shown_ids.filter((i) => i.startsWith("pat_")).length, "patient")}
        </span>
      )}
    </>
  );
}

const acts: Record<string, string> = {
  "POST /eras/{id}/post": "Posted a remittance",
  "POST /eras/{id}/unpost": "Unposted a remittance",
  "POST /claims/{id}/reconcile": "Reconciled a claim",
  "POST /claims/{id}/reopen": "Reopened a claim",
  "PUT /automation": "Changed the automation",
  "POST /sessions": "Sign-in",
  "DELETE /sessions/{id}": "Ended a session",
};

const verbs: Record<string, string> = { GET: "Read", DELETE: "Removed", PATCH: "Changed" };

/** says returns in words what a request did, and whether it was refused. */
function says(e: Schemas["AuditEntry"]): string {
  if (e.actor.kind === "operator") return "Used the command line";
  const [method = "", path = ""] = e.operation.split(" ");
  const what = path
    .split("/")
    .filter((p) => p && !p.startsWith("{"))
    .join(" ")
    .replaceAll("_", " ");
  const searched = path.endsWith("/search") && `Searched ${what.replace(" search", "")}`;
  const does = e.filters ? "Downloaded" : (verbs[method] ?? "Sent");
  const verb = acts[e.operation] ?? (searched || `${does} ${what}`);
  return e.status && e.status >= 400 ? `${verb}, refused (${e.status})` : verb;
}
