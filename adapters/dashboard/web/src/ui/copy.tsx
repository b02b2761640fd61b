import { Check, Copy as CopyIcon, Terminal } from "lucide-react";
import { useState } from "react";
import { root, useClient } from "../api/client";
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
  return <span className="copy"><code className="wrap-anywhere">{value}</code><CopyButton value={value} label={`${label} ${value}`} /></span>;
}

/** CopyAsCurl copies the request of what one looks at, for a program with an API key. */
export function CopyAsCurl({ path, method = "GET", body }: { path: string; method?: string; body?: unknown }) {
  const { mode } = useClient();
  const toast = useToast();
  return (
    <button
      type="button"
      className="button button-quiet"
      onClick={() => { void navigator.clipboard.writeText(curl(mode, method, path, body)).then(() => toast.good("Copied as curl", `Put a ${mode} key in MOLAR_API_KEY before you run it.`)); }}
    >
      <Terminal size={16} aria-hidden />Copy as curl
    </button>
  );
}

/** curl returns a command that sends the request with the key of the environment. */
export function curl(mode: string, method: string, path: string, body?: unknown): string {
  const quote = (s: string) => `'${s.replaceAll("'", "'\\''")}'`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quote(location.origin + root + path)}`,
    `-H "Authorization: Bearer $MOLAR_API_KEY"`,
    ...(method === "GET" ? [] : [`-H "Idempotency-Key: $(uuidgen)"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ].join(" \\\n  ").replace(/$/, mode === "live" ? " # a live key" : "");
}
