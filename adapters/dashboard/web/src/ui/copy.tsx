import { Check, Copy as CopyIcon, Terminal } from "lucide-react";
import { useState } from "react";
import { root, useClient } from "../api/client";
import { Button } from "./button";
import { count } from "./plural";
import type { Use } from "./selection";
import { useToast } from "./toast";

/** CopyButton copies a value. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      className="icon-button no-print"
      aria-label={label}
      onClick={() => {
        void navigator.clipboard.writeText(value).then(() => {
          setDone(true);
          setTimeout(() => setDone(false), 1500);
        });
      }}
    >
      {done ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />}
    </button>
  );
}

/** Copy shows a value, such as an ID, with a button that copies it. */
export function Copy({ value, label = "Copy" }: { value: string; label?: string }) {
  return (
    <span className="copy">
      <code className="wrap-anywhere">{value}</code>
      <CopyButton value={value} label={`${label} ${value}`} />
    </span>
  );
}

/** useCopyIDs returns what copies the IDs of selected rows, each on a line. */
export function useCopyIDs<T extends { id: string }>(): Use<T> {
  const toast = useToast();
  return {
    name: "Copy IDs",
    does: (rows) =>
      navigator.clipboard
        .writeText(rows.map((r) => r.id).join("\n"))
        .then(() => toast.good(`${count(rows.length, "ID")} copied`)),
  };
}

/** CopyAsCurl copies the request of what one looks at. A screen that only a session may read has none. */
export function CopyAsCurl({ path }: { path: string }) {
  const copy = useCopyAsCurl();
  return (
    <Button look="quiet" icon={<Terminal size={16} aria-hidden />} onClick={() => copy(path)}>
      Copy as curl
    </Button>
  );
}

/** useCopyAsCurl returns a function that copies a command, which reads a path with an API key. */
export function useCopyAsCurl(): (path: string) => void {
  const { mode } = useClient();
  const toast = useToast();
  return (path) => {
    const url = `${location.origin}${root}${path}`.replaceAll("'", "'\\''");
    void navigator.clipboard
      .writeText(`curl '${url}' -H "Authorization: Bearer $MOLAR_API_KEY"`)
      .then(() =>
        toast.good("Copied as curl", `Put a ${mode} key in MOLAR_API_KEY before you run it.`),
      );
  };
}
