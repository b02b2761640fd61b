// Search and commands (Ctrl-K): go to a screen, begin something, or find a
// patient or claim. The text goes into the body of a request, never into a URL.
import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type Client, type Mode, type Schemas, useClient } from "../api/client";
import { seen } from "../api/seen";
import { useMay } from "../api/session";
import { day, dollars, name } from "../ui/format";
import { useLate } from "../ui/late";
import { useGo } from "../ui/link";
import { useOffers } from "../ui/offers";
import { useOpen } from "../ui/opening";
import type { PickedPayer } from "../ui/payer-picker";
import { useRecent } from "../ui/recent";
import { stateName } from "../ui/state";
import { closest } from "./closest";
import { actions, type Command, matching, offered, type PageCommand, screens } from "./commands";
import { useOpenClock } from "./open-clock";
import { type AnyTarget, screenOf } from "./places";

type Item = {
  id: string;
  group: string;
  label: string;
  about?: string | undefined;
  does: AnyTarget | (() => void);
};

/** Palette is the dialog. What it leads to has the focus; without, it goes back to where it was. */
export function Palette({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const left = useRef(false);
  return (
    <Dialog.Root open={open} onOpenChange={(o) => onOpenChange(o)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className="dialog palette"
          aria-label="Search and commands"
          finalFocus={() => !left.current}
        >
          <Finder
            close={() => {
              left.current = true;
              onOpenChange(false);
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ close }: { close: () => void }) {
  const client = useClient();
  const go = useGo();
  const open = useOpen();
  const may = useMay();
  const offers = useOffers();
  const [here] = useState(() => offered(offers()));
  const [text, setText] = useState("");
  const typed = text.trim();
  const direct = screenOf(typed);
  const clock = useOpenClock();
  const { payers } = useRecent();
  const opens =
    clock && "test clock time advance".includes(typed.toLowerCase())
      ? [{ id: "test-clock", group: "Commands", label: "Test clock", does: clock }]
      : [];
  const itemOf =
    (group: string) =>
    ({ label, does, opens }: Command): Item => ({
      id: label,
      group,
      label,
      does: opens ? () => open(does) : does,
    });
  const allowed = (all: Command[]) => all.filter((c) => !c.needs || may[c.needs]);
  const begin = matching(allowed(actions), typed).map(itemOf("Commands"));
  const ofPage = matching(here, typed).map(pageItem);
  const own = [
    ...recent(client.mode, payers, typed),
    ...(typed ? [...ofPage, ...begin] : [...begin, ...ofPage]), // Enter alone does nothing here
    ...opens,
    ...matching(allowed(screens), typed).map(itemOf("Go to")),
  ];
  const sought = useLate(typed, 200);
  const found = useQuery({
    queryKey: ["palette", sought],
    enabled: sought === typed && typed.length >= 2,
    queryFn: ({ signal }) => (direct ? of(client, sought) : find(client, sought, signal)),
  });
  const late = (sought === typed && found.data) || [];
  const items: Item[] = direct
    ? [{ id: typed, group: "Go to", label: typed, does: direct }, ...late]
    : unique([...own, ...late]);

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

/** pageItem does what a button of the page does, once the dialog is gone: it would be printed. */
const pageItem = ({ label, does }: PageCommand): Item => ({
  id: `here ${label}`,
  group: "On this page",
  label,
  does: () => setTimeout(does),
});

/** unique leaves out what is in a list before, such as a recent patient who is found, too. */
function unique(items: Item[]): Item[] {
  return items.filter((item, i) => items.findIndex((other) => other.id === item.id) === i);
}

/** recent returns the patients and payers that were used last and have a text in their names. */
function recent(mode: Mode, payers: readonly PickedPayer[], typed: string): Item[] {
  const has = (label: string) => label.toLowerCase().includes(typed.toLowerCase());
  const patients = seen(mode)
    .filter((p) => has(p.name))
    .map((p) => ({
      id: p.id,
      group: "Recent patients",
      label: p.name,
      about: `born ${day(p.born)}`,
      does: { to: `/patients/${p.id}` } as const,
    }));
  const of = payers
    .filter((p) => has(p.name))
    .slice(0, 3)
    .map((p) => ({
      id: p.id,
      group: "Recent payers",
      label: p.name,
      about: "its checks",
      does: { to: "/eligibility", search: { payer_id: p.id } } as const,
    }));
  return [...patients, ...of];
}

/** of returns the patient of a check or a claim with an ID. */
async function of({ fetch }: Client, id: string): Promise<Item[]> {
  const params = { path: { id } };
  const found = id.startsWith("elg")
    ? await fetch.GET("/eligibility/{id}", { params })
    : id.startsWith("clm") && (await fetch.GET("/claims/{id}", { params }));
  const patient = found ? found.data?.patient_id : null;
  if (!patient) return [];
  const { data } = await fetch.GET("/patients/{id}", { params: { path: { id: patient } } });
  return data ? [personOf(data)] : [];
}

const personOf = (p: Schemas["Patient"]): Item => ({
  id: p.id,
  group: "Patients",
  label: name(p),
  about: p.date_of_birth ? `born ${day(p.date_of_birth)}` : undefined,
  does: { to: `/patients/${p.id}` },
});

/** find returns the claims and patients that a text finds. */
async function find(client: Client, query: string, signal: AbortSignal): Promise<Item[]> {
  const body = { query, limit: 6 };
  const [claims, patients] = await Promise.all([
    client.fetch.POST("/claims/search", { body, signal }),
    client.fetch.POST("/patients/search", { body, signal }),
  ]);
  const people = (patients.data?.data ?? []).map(personOf);
  const numbered = (claims.data?.data ?? [])
    .filter((c) => c.patient_id && c.patient_control_number.toUpperCase() === query.toUpperCase())
    .map((c) => ({
      id: c.patient_id ?? "",
      group: "Patients",
      label: name(c.patient_name),
      about: `of claim ${c.patient_control_number}`,
      does: { to: `/patients/${c.patient_id ?? ""}` } as const,
    }));
  const theirs = (claims.data?.data ?? []).map((c) => ({
    id: c.id,
    group: "Claims",
    label: `${name(c.patient_name)}, ${dollars(c.totals.charge)}`,
    about: `${stateName(c.state)} · ${c.payer.name}`,
    does: { to: `/claims/${c.id}` } as const,
  }));
  return unique([...numbered, ...closest(query, people), ...closest(query, theirs)]);
}
