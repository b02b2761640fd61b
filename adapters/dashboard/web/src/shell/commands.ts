// What Ctrl-K can do beside finding: screens, and actions by the words on their buttons, each with the other words that
// people have for it.
import type { MenuItem } from "../ui/menu";
import type { AnyTarget } from "./places";

/** Command is a screen or an action. */
export type Command = {
  label: string; // the words on its button or in the navigation
  also: string; // other words for it
  does: AnyTarget;
  needs?: "write" | "manage"; // else everyone may
  opens?: true; // the dialog of the screen, which its button opens, too
};

/** actions begin something. */
export const actions: Command[] = [
  {
    label: "New check",
    also: "eligibility verify coverage insurance benefits patient covered",
    does: { to: "/eligibility/new" },
    needs: "write",
  },
  {
    label: "Verify a schedule",
    also: "tomorrow appointments patients batch import csv upload",
    does: { to: "/schedule/new" },
    needs: "write",
  },
  {
    label: "New claim",
    also: "bill charge services predetermination estimate",
    does: { to: "/claims/new" },
    needs: "write",
  },
  {
    label: "New attachment",
    also: "x-ray image photo document narrative upload",
    does: { to: "/attachments/new" },
    needs: "write",
  },
  {
    label: "Import a remittance",
    also: "835 era payment eob upload file",
    does: { to: "/remittances" },
    needs: "write",
    opens: true,
  },
  {
    label: "Import a fee schedule",
    also: "prices ucr contract allowed csv upload",
    does: { to: "/settings/fees" },
    needs: "manage",
    opens: true,
  },
  {
    label: "New office",
    also: "location practice add",
    does: { to: "/settings/offices/new" },
    needs: "manage",
  },
  {
    label: "New provider",
    also: "dentist doctor hygienist add",
    does: { to: "/settings/providers" },
    needs: "manage",
    opens: true,
  },
  {
    label: "New key",
    also: "api token secret program",
    does: { to: "/developers/keys" },
    needs: "manage",
    opens: true,
  },
  {
    label: "New endpoint",
    also: "webhook hook url",
    does: { to: "/developers/webhooks" },
    needs: "manage",
    opens: true,
  },
];

/** screens are those of the navigation, and those behind them. */
export const screens: Command[] = [
  { label: "Today", also: "home start to do work", does: { to: "/" } },
  {
    label: "Eligibility",
    also: "checks coverage benefits insurance verification",
    does: { to: "/eligibility" },
  },
  {
    label: "Schedule",
    also: "tomorrow appointments morning batches verification eligibility",
    does: { to: "/schedule" },
  },
  { label: "Claims", also: "bills", does: { to: "/claims" } },
  {
    label: "Predeterminations",
    also: "preauthorization pre-authorization estimates claims",
    does: { to: "/claims", search: { kind: "predetermination" } },
  },
  { label: "Attachments", also: "x-rays images documents", does: { to: "/attachments" } },
  {
    label: "Payer requests",
    also: "letters requests for information documents due",
    does: { to: "/payer-requests" },
  },
  { label: "Remittances", also: "payments era 835 eob money", does: { to: "/remittances" } },
  {
    label: "Quarantine",
    also: "files unread unplaced remittances",
    does: { to: "/remittances/quarantine" },
  },
  { label: "Deposits", also: "bank money ach checks", does: { to: "/deposits" } },
  { label: "Developers", also: "api", does: { to: "/developers" } },
  { label: "Events", also: "api changes log", does: { to: "/developers/events" } },
  { label: "Deliveries", also: "webhooks sent", does: { to: "/developers/deliveries" } },
  { label: "Webhooks", also: "endpoints", does: { to: "/developers/webhooks" } },
  { label: "Requests", also: "api log calls", does: { to: "/developers/requests" } },
  { label: "Keys", also: "api tokens", does: { to: "/developers/keys" } },
  {
    label: "Settings",
    also: "account password second factor authenticator organization",
    does: { to: "/settings" },
  },
  { label: "Offices", also: "locations practice npi tax", does: { to: "/settings/offices" } },
  {
    label: "Providers",
    also: "dentists doctors hygienists",
    does: { to: "/settings/providers" },
  },
  { label: "Fee schedules", also: "prices ucr contracts", does: { to: "/settings/fees" } },
  {
    label: "Payers",
    also: "deadlines limits timely filing appeals claim status policies",
    does: { to: "/settings/payers" },
  },
  {
    label: "Automation",
    also: "post reconcile by itself rules exceptions automatic",
    does: { to: "/settings/automation" },
    needs: "manage",
  },
  {
    label: "Attachment rules",
    also: "x-rays narratives documents advice",
    does: { to: "/settings/attachment-rules" },
  },
  {
    label: "Users",
    also: "people roles invite team staff",
    does: { to: "/settings/users" },
    needs: "manage",
  },
  {
    label: "Sessions",
    also: "signed in devices browsers sign out",
    does: { to: "/settings/sessions" },
  },
  {
    label: "Audit",
    also: "who saw history log disclosures",
    does: { to: "/settings/audit" },
    needs: "manage",
  },
];

/** Offer is a button or a link of the open page. */
export type Offer = {
  label: string; // the words on it
  begins: boolean; // what it leads to begins with what the page shows
  menu?: readonly MenuItem[] | undefined; // what it opens
  does: () => void;
};

/** PageCommand is what the open page can do. */
export type PageCommand = Pick<Command, "label" | "also"> & { does: () => void };

/** offered returns the commands of the open page, each label once, and those of its menu More last.
 *  What any page can do is none, unless it begins with what this page shows. */
export function offered(all: readonly Offer[]): PageCommand[] {
  const everywhere = new Set([...actions, ...screens].map((c) => c.label));
  const more: PageCommand[] = [];
  const own = all.flatMap((o): PageCommand[] => {
    if (!o.menu) {
      const known = o.label === "" || (everywhere.has(o.label) && !o.begins);
      return known ? [] : [{ label: o.label, also: "", does: o.does }];
    }
    const rare = o.label === "More";
    const entries = o.menu
      .filter((i) => !i.disabled)
      .map((i) => ({
        label: rare ? i.label : `${o.label}: ${i.label}`,
        also: "",
        does: i.onSelect,
      }));
    if (!rare) return entries;
    more.push(...entries);
    return [];
  });
  const same = (a: PageCommand, b: PageCommand) => a.label.toLowerCase() === b.label.toLowerCase();
  return [...own, ...more].filter((c, i, list) => list.findIndex((o) => same(o, c)) === i);
}

/** matching returns the commands of which every word of a text begins a word, those whose label begins so first. */
export function matching<C extends Pick<Command, "label" | "also">>(
  all: readonly C[],
  text: string,
): C[] {
  const sought = wordsOf(text);
  if (sought.length === 0) return [...all];
  const begins = (s: string) => wordsOf(s)[0]?.startsWith(sought[0] ?? "") ?? false;
  const rank = (c: C) => {
    const label = wordsOf(c.label);
    const inLabel = sought.every((s) => label.some((w) => w.startsWith(s)));
    return Number(!inLabel) * 2 + Number(!begins(c.label));
  };
  return all
    .filter((c) => {
      const words = wordsOf(`${c.label} ${c.also}`);
      return sought.every((s) => words.some((w) => w.startsWith(s)));
    })
    .sort((a, b) => rank(a) - rank(b));
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
