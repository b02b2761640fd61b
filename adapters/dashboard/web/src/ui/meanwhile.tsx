// Someone else changed what a person is changing.
import type { Schemas } from "../api/client";
import { isAPIError } from "../api/client";
import { Button } from "./button";
import { Changer } from "./changer";
import { When, words } from "./format";
import { attend, Notice } from "./page";

export type Edit = NonNullable<Schemas["Error"]["changed"]>[number];

/** changedOf returns what was changed meanwhile, of a refusal because of that; else null. */
export function changedOf(e: unknown): readonly Edit[] | null {
  return isAPIError(e) && e.error === "CHANGED_MEANWHILE" ? (e.changed ?? []) : null;
}

/** textAt returns the text of a form at a path of the contract; null for more than a text. A form may have
 *  the parts of an address beside the rest. */
export function textAt(form: object, path: string): string | null {
  const at = (names: string[]) =>
    names.reduce<unknown>((v, name) => (v as Record<string, unknown> | undefined)?.[name], form);
  const names = path.split(".");
  const found = at(names) ?? at(names.filter((name) => name !== "address"));
  return typeof found === "string" ? found : null;
}

/** Meanwhile says what others changed, and what became of what was typed. Kept returns what the other one wrote in a
 *  field that both changed: a text, or the entries that differ. Take puts it in place of what was typed. */
export function Meanwhile({
  changed,
  kept,
  take,
}: {
  changed: readonly Edit[];
  kept?: (field: string) => string | readonly string[] | null;
  take?: (field: string) => void;
}) {
  return (
    <div ref={attend} tabIndex={-1} role="alert">
      <Notice
        tone="warn"
        title="This was changed while you worked on it. Your changes are not saved yet."
      >
        <ul className="plain stack-s">
          {changed.map((c) => {
            const theirs = kept?.(c.field);
            return (
              <li key={c.field}>
                <strong>{labelOf(c.field)}</strong>: <Changer by={c.by} />,{" "}
                <When value={c.at} full />
                {typeof theirs === "string" && `. Theirs is “${theirs}”; yours is kept.`}
                {Array.isArray(theirs) && (
                  <>
                    . Yours is kept. Theirs differs:
                    <ul className="plain">
                      {theirs.map((entry) => (
                        <li key={entry}>{entry}</li>
                      ))}
                    </ul>
                    {take && (
                      <Button onClick={() => take(c.field)}>
                        Use their {labelOf(c.field).toLowerCase()}
                      </Button>
                    )}
                  </>
                )}
              </li>
            );
          })}
        </ul>
        <p>
          What you entered is still here. The other fields show what is saved. Check them, then save
          again.
        </p>
      </Notice>
    </div>
  );
}

const labels: Record<string, string> = {
  npi: "NPI",
  zip: "ZIP code",
  tax_id: "Tax ID",
  member_id: "Member ID",
  payer_id: "Payer",
  office_id: "Office",
  rendering_provider_id: "Treating provider",
  patient_control_number: "Control number",
  lines: "Services",
  other_coverage: "Other plans",
  line1: "Street",
  line2: "Suite",
};

/** labelOf names a field of the contract. */
export function labelOf(field: string): string {
  const parts = field.split(".");
  const last = parts.at(-1) ?? field;
  const label = labels[last] ?? words(last);
  const of = parts[0] === "subscriber" || parts[0] === "patient" ? `${words(parts[0])}: ` : "";
  return parts.length > 1 ? `${of}${label}` : label;
}
