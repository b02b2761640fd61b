import { AreaField } from "../../ui/form";

/** maxNarrative is the length of a narrative. */
export const maxNarrative = 2000;

/** Narrative is the field of a narrative, below its title, with the count of its characters. */
export function Narrative({
  value,
  onChange,
  placeholder,
}: {
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
}) {
  const used = [...value].length;
  return (
    <AreaField
      label="Narrative"
      hideLabel
      path="narrative"
      value={value}
      onChange={onChange}
      rows={5}
      placeholder={placeholder}
      hint={
        <span className={`numbers${used > maxNarrative ? " fault" : ""}`}>
          {used.toLocaleString("en-US")} of {maxNarrative.toLocaleString("en-US")} characters
          {used > maxNarrative && ". Shorten it before you send it."}
        </span>
      }
    />
  );
}
