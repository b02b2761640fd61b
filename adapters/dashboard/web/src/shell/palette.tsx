// Search and commands (Ctrl-K): go to a screen, begin something, or find a
// patient or claim. The text goes into the body of a request, never into a URL.
import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Client, type Schemas, useClient } from "../api/client";
import { useMay } from "../api/session";
import { day, dollars, name } from "../ui/format";
import { useLate } from "../ui/late";
import { useGo } from "../ui/link";
import { stateName } from "../ui/state";
import { closest } from "./closest";
import { useOpenClock } from "./open-clock";
import { type AnyTarget, places, screenOf } from "./places";

type Item = {
  id: string;
  group: string;
  label: string;
  about?: string;
  does: AnyTarget | (() => void);
};

/** commands begin something. */
const commands: Item[] = [
  {
    id: "new-check",
    group: "Commands",
    label: "New eligibility check",
    does: { to: "/eligibility/new" },
  },
  { id: "new-claim", group: "Commands", label: "New claim", does: { to: "/claims/new" } },
  {
    id: "new-attachment",
    group: "Commands",
    label: "New attachment",
    does: { to: "/attachments/new" },
  },
];

const screens: Item[] = places.map((p) => ({
  id: p.name,
  group: "Go to",
  label: p.name,
  does: { to: p.path },
}));

export function Palette({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog.Root open={open} onOpenChange={(o) => onOpenChange(o)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label="Search and commands">
          <Finder close={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ close }: { close: () => void }) {
  const client = useClient();
  const go = useGo();
  const may = useMay();
  const [text, setText] = useState("");
  const typed = text.trim();
  const direct = screenOf(typed);
  const clock = useOpenClock();
  const begins = may.write ? commands : [];
  const opens = clock
    ? [{ id: "test-clock", group: "Commands", label: "Test clock", does: clock }]
    : [];
  const matching = [...begins, ...opens, ...screens].filter((i) =>
    i.label.toLowerCase().includes(typed.toLowerCase()),
  );
  const sought = useLate(typed, 200);
  const found = useQuery({
    queryKey: ["palette", sought],
    enabled: sought === typed && typed.length >= 2 && !direct,
    queryFn: ({ signal }) => find(client, sought, signal),
  });
  const items: Item[] = direct
    ? [{ id: typed, group: "Go to", label: typed, does: direct }]
    : [...matching, ...((sought === typed && found.data) || [])];

  const groups = [...new Set(items.map((i) => i.group))].map((value) => ({
    value,
    items: items.filter((i) => i.group === value),
  }));
  return (
    <Autocomplete.Root
      items={groups}
      open
      inline
      mode="none"
      autoHighlight="always"
      keepHighlight
      value={text}
      onValueChange={(v) => setText(v)}
      itemToStringValue={(i: Item) => i.label}
    >
      <Dialog.Title className="only-read">Search and commands</Dialog.Title>
      <Autocomplete.Input
        className="palette-input"
        placeholder="Find a patient, claim or command"
        aria-label="Find a patient, claim or command"
      />
      <Autocomplete.Empty className="palette-empty">
        {found.isFetching
          ? "Searching…"
          : "Nothing found. Enter words of a name, a date of birth, or the start of a member ID or control number."}
      </Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
        {(group: { value: string; items: Item[] }) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className="palette-group">
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(i: Item) => (
                <Autocomplete.Item
                  key={i.id}
                  value={i}
                  className="palette-item"
                  onClick={() => {
                    close();
                    if (typeof i.does === "function") i.does();
                    else go(i.does);
                  }}
                >
                  <span>{i.label}</span>
                  {i.about && <span className="muted small">{i.about}</span>}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** find returns the claims and patients that a text finds. */
async function find(client: Client, query: string, signal: AbortSignal): Promise<Item[]> {
  const body = { query, limit: 6 };
  const [claims, patients] = await Promise.all([
    client.fetch.POST("/claims/search", { body, signal }),
    client.fetch.POST("/patients/search", { body, signal }),
  ]);
  const people = (patients.data?.data ?? []).map((p: Schemas["Patient"]) => ({
    id: p.id,
    group: "Patients",
    label: name(p),
    about: p.date_of_birth ? `born ${day(p.date_of_birth)}` : undefined,
    does: { to: `/patients/${p.id}` } as const,
  }));
  const theirs = (claims.data?.data ?? []).map((c) => ({
    id: c.id,
    group: "Claims",
    label: `${name(c.patient_name)}, ${dollars(c.totals.charge)}`,
    about: `${stateName(c.state)} · ${c.payer.name}`,
    does: { to: `/claims/${c.id}` } as const,
  }));
  return [...closest(query, people), ...closest(query, theirs)];
}
