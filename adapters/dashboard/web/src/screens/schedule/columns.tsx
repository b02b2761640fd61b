// What the columns of a schedule's file mean.
import type { Schemas } from "../../api/client";
import { SelectField } from "../../ui/form";
import { Notice } from "../../ui/page";
import { count } from "../../ui/plural";
import { type Field, fields, named } from "./file";

/** Columns says what each column means, and lets a person map it. */
export function Columns({
  of: s,
  means,
}: {
  of: Schemas["Schedule"];
  means: (name: string, field: Field | null) => void;
}) {
  const out = s.columns.filter((c) => !c.field && c.name);
  return (
    <>
      {s.faults.length > 0 && (
        <Notice tone="bad" title="The file is not read yet. Say what its columns mean.">
          {s.faults.map((f) => (
            <p key={`${f.column} ${f.field}`}>{about(f, s)}</p>
          ))}
        </Notice>
      )}
      <details className="schedule-columns" open={s.faults.length > 0 || undefined}>
        <summary>
          What the columns mean: {count(s.columns.length - out.length, "column")} read
          {out.length > 0 && `, ${out.length} left out (${out.map((c) => c.name).join(", ")})`}
        </summary>
        <div className="fields fields-wide">
          {s.columns
            .filter((c) => c.name)
            .map((c, i) => (
              <SelectField
                key={`${i} ${c.name}`}
                label={c.name}
                value={c.field ?? ""}
                onChange={(v) => means(c.name, (v || null) as Field | null)}
                options={[["", "Left out"], ...Object.entries(fields)]}
              />
            ))}
        </div>
      </details>
    </>
  );
}

/** about says what is wrong with the columns, in the words of the screen. A meaning is kept by the name of a column, so
 *  that two of one name cannot be told apart. */
function about(f: Schemas["CellFault"], s: Schemas["Schedule"]): string {
  const field = fields[f.field as Field] ?? f.field;
  const name = s.columns[(f.column ?? 0) - 1]?.name ?? "";
  if (f.code === "conflict" && s.columns.filter((c) => named(c.name) === named(name)).length > 1)
    return `Two columns are called ${name}. Rename one of them in the file, and choose it again.`;
  if (f.code === "required") return `No column has this: ${field}.`;
  if (f.code === "conflict") return `Two columns have this: ${field}. Leave one of them out.`;
  return f.message;
}
