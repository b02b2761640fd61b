// Fields: a label, an input, and beside it what the service says is wrong.
import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
  useState,
} from "react";
import { standing } from "./standing";

/** Fault is what is wrong with a field: from a refused request, or a finding of a claim. */
export type Fault = { field: string | null; message: string; fix?: string };

const Faults = createContext<readonly Fault[]>([]);

/** FaultsOf gives the fields inside it what is wrong with them, by their paths in the request. A fault
 *  is gone once the request would have something else at its path. */
export function FaultsOf({
  list,
  request,
  children,
}: {
  list: readonly Fault[];
  request: object; // as the form would send it now
  children: ReactNode;
}) {
  const [judged, setJudged] = useState({ list, request });
  if (judged.list !== list && judged.list.length + list.length > 0) setJudged({ list, request });
  return (
    <Faults.Provider value={list.filter((f) => standing(f.field, judged.request, request))}>
      {children}
    </Faults.Provider>
  );
}

/** useAllFaults returns all that is still wrong. */
export function useAllFaults(): readonly Fault[] {
  return useContext(Faults);
}

/** FieldProps is what every field has: its label, and the paths of its value in the request, separated by
 *  spaces. */
export type FieldProps = {
  label: string;
  path?: string;
  hint?: ReactNode;
  optional?: boolean;
  hideLabel?: boolean;
};

/** useFaultsBelow returns what is wrong at paths or below them. */
export function useFaultsBelow(paths: readonly string[]): readonly Fault[] {
  const all = useContext(Faults);
  return all.filter((f) => paths.some((p) => f.field === p || f.field?.startsWith(`${p}.`)));
}

/** Wrong says what is wrong with the fields that it stands at. */
function Wrong({ id, faults }: { id?: string; faults: readonly Fault[] }) {
  if (faults.length === 0) return null;
  return (
    <div id={id} className="fault">
      {faults.map((f) => (
        <p key={f.message}>
          {f.message}
          {f.fix ? ` ${f.fix}` : ""}
        </p>
      ))}
    </div>
  );
}

/** Group is fields that belong together. What is wrong with its own paths stands above them; with whole, also
 *  what is wrong below them. */
export function Group({
  path,
  label,
  whole,
  className,
  children,
  ref,
}: {
  path: string;
  label?: string;
  whole?: boolean;
  className?: string;
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
}) {
  const id = useId();
  const paths = path.split(" ");
  const faults = useFaultsBelow(paths).filter((f) => whole || paths.includes(f.field ?? ""));
  return (
    <div
      ref={ref}
      {...(label && {
        role: "group",
        "aria-label": label,
        "aria-describedby": faults.length > 0 ? `${id}-fault` : undefined,
      })}
      className={className}
      data-path={path}
      data-group={whole ? "whole" : "own"}
    >
      <Wrong id={`${id}-fault`} faults={faults} />
      {children}
    </div>
  );
}

/** Field has a label and an input, and shows the faults at its paths and below them. */
export function Field({
  label,
  path,
  hint,
  optional,
  hideLabel,
  children,
}: FieldProps & {
  children: (input: {
    id: string;
    "aria-invalid"?: boolean;
    "aria-describedby"?: string;
  }) => ReactNode;
}) {
  const id = useId();
  const faults = useFaultsBelow(path?.split(" ") ?? []);
  const described = [hint ? `${id}-hint` : "", faults.length > 0 ? `${id}-fault` : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={`field${faults.length > 0 ? " field-wrong" : ""}`} data-path={path}>
      <label htmlFor={id} className={hideLabel ? "only-read" : undefined}>
        {label}
        {optional && <span className="muted"> (optional)</span>}
      </label>
      {children({
        id,
        "aria-invalid": faults.length > 0 || undefined,
        "aria-describedby": described || undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      <Wrong id={`${id}-fault`} faults={faults} />
    </div>
  );
}

type Text = Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange"> &
  FieldProps & {
    value: string;
    onChange: (value: string) => void;
    ref?: Ref<HTMLInputElement> | undefined;
  };

/** TextField is a field for a line of text. */
export function TextField({
  label,
  path,
  hint,
  optional,
  hideLabel,
  value,
  onChange,
  className,
  ...rest
}: Text) {
  return (
    <Field {...{ label, path, hint, optional, hideLabel }}>
      {(input) => (
        <input
          {...input}
          {...rest}
          className={`input${className ? ` ${className}` : ""}`}
          value={value}
          onChange={(e) => onChange(e.target.value)}
        />
      )}
    </Field>
  );
}

/** DateField is a field for a date, in the form of the API (2026-01-09). */
export function DateField(props: Text) {
  return <TextField type="date" {...props} />;
}

/** DayFilter is a day in the address of a list. A year that is being typed, such as 0002, is no
 *  day yet, and the address follows too late to give it back to the field. */
export function DayFilter({ value, onChange, ...props }: Text) {
  const [typed, setTyped] = useState<string | null>(null); // while the field has the focus
  return (
    <DateField
      {...props}
      value={typed ?? value}
      onChange={(v) => {
        setTyped(v);
        if (v === "" || v >= "1900") onChange(v);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** MoneyField is a field for an amount in dollars. */
export function MoneyField(props: Text) {
  return <TextField inputMode="decimal" placeholder="0.00" className="right numbers" {...props} />;
}

type Area = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "value" | "onChange"> &
  FieldProps & { value: string; onChange: (value: string) => void };

/** AreaField is a field for several lines of text. */
export function AreaField({
  label,
  path,
  hint,
  optional,
  hideLabel,
  value,
  onChange,
  ...rest
}: Area) {
  return (
    <Field {...{ label, path, hint, optional, hideLabel }}>
      {(input) => (
        <textarea
          rows={3}
          {...input}
          {...rest}
          className="input"
          value={value}
          onChange={(e) => onChange(e.target.value)}
        />
      )}
    </Field>
  );
}

type Choice = Omit<SelectHTMLAttributes<HTMLSelectElement>, "value" | "onChange"> &
  FieldProps & {
    value: string;
    onChange: (value: string) => void;
    options: readonly (readonly [value: string, label: string])[];
  };

/** SelectField is a field for one of a few values. */
export function SelectField({
  label,
  path,
  hint,
  optional,
  hideLabel,
  value,
  onChange,
  options,
  ...rest
}: Choice) {
  return (
    <Field {...{ label, path, hint, optional, hideLabel }}>
      {(input) => (
        <select
          {...input}
          {...rest}
          className="input"
          value={value}
          onChange={(e) => onChange(e.target.value)}
        >
          {options.map(([v, l]) => (
            <option key={v} value={v}>
              {l}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Check is a box to tick. */
export function Check({
  label,
  path,
  checked,
  onChange,
  hint,
}: {
  label: string;
  path?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: ReactNode;
}) {
  const id = useId();
  const faults = useFaultsBelow(path ? [path] : []);
  const described = [hint ? `${id}-hint` : "", faults.length > 0 ? `${id}-fault` : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="check" data-path={path}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(e) => onChange(e.target.checked)}
        aria-invalid={faults.length > 0 || undefined}
        aria-describedby={described || undefined}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="hint">
            {hint}
          </p>
        )}
        <Wrong id={`${id}-fault`} faults={faults} />
      </div>
    </div>
  );
}
