// A field that finds what one types: the list below it comes from the service.
import { Combobox } from "@base-ui/react/combobox";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Field, type FieldProps } from "./form";
import { useLate } from "./late";
import "./picker.css";

/** Picker is a field to choose one of many things by typing a part of it. Arrow keys and Enter choose,
 *  Escape closes. */
export function Picker<T extends { id: string }>({
  kind,
  label,
  path,
  hint,
  optional,
  hideLabel,
  value,
  onChange,
  find,
  text,
  about,
  disabled,
  placeholder,
  min = 0,
  nothing,
}: FieldProps & {
  kind: string; // of what is found, such as "payers"
  value: T | null;
  onChange: (chosen: T | null) => void;
  find: (query: string, signal: AbortSignal) => Promise<T[]>;
  text: (item: T) => string; // what the field shows of a chosen one
  about?: (item: T) => string; // what the list adds to it
  disabled?: (item: T) => boolean;
  placeholder?: string;
  min?: number; // the shortest text to search for
  nothing: string; // what the list says when it is empty
}) {
  const shown = value ? text(value) : "";
  const [own, setOwn] = useState<string | null>(null); // what is typed, until one is chosen
  const typed = own ?? shown;
  const marked = useRef(false); // one of the items has the highlight, and Enter chooses it
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState<string | null>(null); // Enter was pressed before it was found
  const query = typed === shown ? "" : typed.trim();
  const late = useLate(query, 150);
  const found = useQuery({
    queryKey: ["pick", kind, late],
    enabled: (open || wanted !== null) && late.length >= min,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => find(late, signal),
  });
  const items = late.length >= min ? (found.data ?? []) : [];
  const settled = late === query && found.data !== undefined && !found.isPlaceholderData;
  const choose = useEffectEvent(() => {
    setWanted(null);
    const first = wanted === query ? items.find((i) => !disabled?.(i)) : undefined;
    if (first || !open) setOwn(null);
    if (!first) return;
    setOpen(false);
    onChange(first);
  });
  const answered = settled || (late === query && found.isError);
  // The service answers outside React.
  useEffect(() => {
    if (wanted !== null && answered) choose();
  }, [wanted, answered]);
  const none = query.length < min ? null : nothing;
  return (
    <Field {...{ label, path, hint, optional, hideLabel }}>
      {(input) => (
        <Combobox.Root
          items={items}
          filteredItems={items}
          filter={null}
          autoHighlight
          onItemHighlighted={(item) => {
            marked.current = item !== undefined;
          }}
          value={value}
          onValueChange={(v) => {
            setOwn(null);
            onChange(v);
          }}
          isItemEqualToValue={(a, b) => a.id === b.id}
          itemToStringLabel={text}
          inputValue={typed}
          onInputValueChange={(v, details) => {
            if (details.reason !== "input-clear") setOwn(v);
          }}
          open={open}
          onOpenChange={(o, { reason }) => {
            setOpen(o);
            // Who presses Enter and goes on to the next field gets what is still being found.
            if (o || (wanted !== null && reason !== "escape-key")) return;
            setWanted(null);
            setOwn(null);
          }}
        >
          <Combobox.Input
            {...input}
            className="input"
            placeholder={placeholder}
            onKeyDown={(e) => {
              // Text that names nothing yet neither submits the form nor chooses what an earlier text found. What it
              // finds is chosen when it is there.
              if (e.key !== "Enter" || query === "") return;
              if (items.length > 0 && settled && marked.current) return;
              e.preventDefault();
              e.preventBaseUIHandler();
              if (!settled || items.length > 0) setWanted(query);
            }}
            spellCheck={false}
          />
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} align="start" className="menu-place">
              <Combobox.Popup className="menu picker">
                <Combobox.Empty className="picker-empty">
                  {found.isFetching || late !== query ? "Searching…" : none}
                </Combobox.Empty>
                <Combobox.List className="picker-list">
                  {(item: T) => (
                    <Combobox.Item
                      key={item.id}
                      value={item}
                      className="menu-item"
                      disabled={disabled?.(item)}
                      aria-label={[text(item), about?.(item)].filter(Boolean).join(", ")}
                    >
                      <span>{text(item)}</span>
                      {about && <span>{about(item)}</span>}
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}
