// What is wrong with a form, above it: each point leads to its field.
import { isAPIError } from "../../api/client";
import { type Fault, useAllFaults } from "../../ui/form";
import { why } from "../../ui/page";
import { count } from "../../ui/plural";

/** Faulty says what is still wrong, and leads to the fields. */
export function Faulty({
  given,
  refused,
  ref,
}: {
  given: number; // of faults, before anything was corrected
  refused: unknown;
  ref?: React.Ref<HTMLDivElement>;
}) {
  const faults = useAllFaults();
  // The list stays, hidden: one that came again while a person types would take the focus.
  return (
    <div
      ref={ref}
      tabIndex={-1}
      className="faulty"
      role="alert"
      hidden={given > 0 && faults.length === 0}
    >
      <p className="strong">
        {refused !== null && faults.length === 0
          ? why(refused)
          : `${count(faults.length, "thing")} to correct`}
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map((f) => (
            <li key={`${f.field} ${f.message}`}>
              <Fix of={f} />
              {f.fix && <span className="muted"> {f.fix}</span>}
            </li>
          ))}
        </ul>
      )}
      {refused !== null && faults.length === 0 && (
        <p className="muted">What you entered is still here.</p>
      )}
      {isAPIError(refused) && (
        <p className="muted small">
          Request <code>{refused.request_id}</code>
        </p>
      )}
    </div>
  );
}

/** Fix leads to the field of a fault, if the form has it. */
function Fix({ of: { field, message, fix } }: { of: Fault }) {
  if (!field || !/^[a-z_0-9.]+$/.test(field)) return <span>{message}</span>;
  return (
    <button type="button" className="link-button" onClick={() => focusOn(field)}>
      {where({ field, message, fix })}
      {message}
    </button>
  );
}

/** where returns the field that a fault is in, as far as its message does not say it. */
function where({ field: path, message, fix }: Fault): string {
  if (!path) return "";
  const of = fieldAt(path);
  const group = of?.getAttribute("aria-label");
  if (group) return place(path) || `${group}: `;
  const label = of?.querySelector("label")?.firstChild?.textContent ?? "";
  return (
    place(path) +
    (label &&
    !message.toLowerCase().includes(label.toLowerCase()) &&
    !(fix && path.startsWith("lines."))
      ? `${label}: `
      : "")
  );
}

function place(path: string): string {
  const line = /^lines\.(\d+)/.exec(path);
  if (line) return `Line ${Number(line[1]) + 1}: `;
  const other = /^other_coverage\.(\d+)/.exec(path);
  return other ? `Other plan ${Number(other[1]) + 1}: ` : "";
}

/** fieldAt returns the field of a path, or the nearest part of the form around it. */
function fieldAt(path: string): HTMLElement | null {
  return (
    document.querySelector<HTMLElement>(`[data-path~="${path}"]`) ??
    (path.includes(".") ? fieldAt(path.slice(0, path.lastIndexOf("."))) : null)
  );
}

/** focusOn opens the part that a field is in, and goes to the field. */
function focusOn(path: string): void {
  const field = fieldAt(path);
  if (!field) return;
  const part = field.closest("details");
  if (part) part.open = true;
  field.scrollIntoView({ block: "center" });
  field.querySelector<HTMLElement>("input, select, textarea")?.focus();
}
