// Until when a payer accepts claims and appeals, as fields of a form: those of a payer and those of a
// contract are the same.
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { TextField } from "../../ui/form";

type Days = "filing_days" | "secondary_filing_days" | "appeal_days";
type Source = "filing_source" | "secondary_filing_source" | "appeal_source";

/** Deadlines are what a person entered, without what was left empty. */
export type Deadlines = Partial<Record<Days, number> & Record<Source, string>>;

/** spans are the deadlines, and what a field calls each. */
export const spans = [
  ["filing", "Claim: days from the first service"],
  ["secondary_filing", "Secondary claim: days from the primary’s decision"],
  ["appeal", "Appeal: days from the decision"],
] as const;

type Texts = Record<Days | Source, string>;

/** useDeadlines holds the texts of the fields, which begin as they are stored. */
export function useDeadlines(stored?: Pick<Schemas["PayerLimits"], Days | Source>) {
  const [texts, setTexts] = useState<Texts>(
    () =>
      Object.fromEntries(
        spans.flatMap(([name]) => [
          [`${name}_days`, String(stored?.[`${name}_days`] ?? "")],
          [`${name}_source`, stored?.[`${name}_source`] ?? ""],
        ]),
      ) as Texts,
  );
  const entered: Deadlines = Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => {
      if (text.trim() === "") return [];
      return [[key, key.endsWith("_days") ? Number(text) : text.trim()]];
    }),
  );
  const enter = (key: Days | Source, text: string) => setTexts({ ...texts, [key]: text });
  return { texts, entered, enter };
}

/** DeadlineFields are the fields. Where a deadline was read is asked for once there is one. */
export function DeadlineFields({ of }: { of: ReturnType<typeof useDeadlines> }) {
  return spans.map(([name, label]) => (
    <div key={name} className="stack-s">
      <TextField
        label={label}
        path={`${name}_days`}
        optional
        inputMode="numeric"
        value={of.texts[`${name}_days`]}
        onChange={(v) => of.enter(`${name}_days`, v)}
      />
      {of.texts[`${name}_days`] !== "" && (
        <TextField
          label="Where you read it"
          path={`${name}_source`}
          optional
          value={of.texts[`${name}_source`]}
          onChange={(v) => of.enter(`${name}_source`, v)}
        />
      )}
    </div>
  ));
}
