// Money, dates and names, as people write them.
import { createContext, useContext } from "react";

/** browserZone is the time zone of this device. */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** ZoneContext is the time zone of the office. */
export const ZoneContext = createContext(browserZone);

/** useZone returns the time zone of the office: times are shown in it, and days begin in it. */
export function useZone(): string {
  return useContext(ZoneContext);
}

/** dateIn returns the date of a moment in a time zone, such as 2026-01-09: today's, if none is given. */
export function dateIn(zone: string, at = new Date()): string {
  return at.toLocaleDateString("en-CA", { timeZone: zone });
}

/** daysAfter returns the date some days after another. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** midnight returns when a date begins in a time zone, as the API reads it. */
export function midnight(date: string, zone: string): string {
  const utc = Date.parse(date);
  const clock = Date.parse(
    `${new Date(utc).toLocaleString("sv-SE", { timeZone: zone }).replace(" ", "T")}Z`,
  );
  return new Date(utc + (utc - clock)).toISOString();
}

/** dollars returns an amount such as "1250.00" as $1,250.00. */
export function dollars(amount: string): string {
  const negative = amount.startsWith("-");
  const [whole = "0", cents = "00"] = amount.replace("-", "").split(".");
  return `${negative ? "−" : ""}$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}

/** cents returns an amount such as "1250.00" in cents, for comparisons and sums on a page. */
export function cents(amount: string): number {
  return Math.round(Number(amount) * 100);
}

/** Money shows an amount in tabular figures. Without one it shows a dash. */
export function Money({ value, strong }: { value: string | null | undefined; strong?: boolean }) {
  if (value == null)
    return (
      <span className="muted none" aria-label="none">
        –
      </span>
    );
  return <span className={`numbers nowrap${strong ? " strong" : ""}`}>{dollars(value)}</span>;
}

/** day returns a date such as 2026-01-09 as Jan 9, 2026. A date has no time zone. */
export function day(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-US", {
    timeZone: "UTC",
    year: "numeric",
    month: "short",
    day: "numeric",
  });
}

/** Day shows a date. */
export function Day({ value }: { value: string | null | undefined }) {
  if (!value)
    return (
      <span className="muted none" aria-label="none">
        –
      </span>
    );
  return (
    <time dateTime={value} className="nowrap numbers">
      {day(value)}
    </time>
  );
}

/** Days shows a first and a last date as one range. */
export function Days({
  from,
  to,
}: {
  from: string | null | undefined;
  to: string | null | undefined;
}) {
  if (!from || !to || from === to) return <Day value={from ?? to} />;
  return (
    <span>
      <Day value={from} /> – <Day value={to} />
    </span>
  );
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** When shows a moment: how long ago within a week, else its day, with the full time on hover. */
export function When({ value, full }: { value: string | null | undefined; full?: boolean }) {
  const zone = useZone();
  if (!value)
    return (
      <span className="muted none" aria-label="never">
        –
      </span>
    );
  const at = new Date(value);
  const whole = at.toLocaleString("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    second: full ? "2-digit" : undefined,
    timeZoneName: "short",
  });
  return (
    <time dateTime={value} title={whole} className="nowrap numbers">
      {full ? whole : ago(at, zone)}
    </time>
  );
}

function ago(at: Date, zone: string): string {
  const seconds = (at.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) < 60) return seconds > 0 ? "in seconds" : "just now";
  if (Math.abs(seconds) < 7 * 86_400) {
    for (const [unit, length] of units) {
      if (Math.abs(seconds) >= length)
        return new Intl.RelativeTimeFormat("en-US", { numeric: "auto" }).format(
          Math.trunc(seconds / length),
          unit,
        );
    }
  }
  return at.toLocaleDateString("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "short",
    day: "numeric",
  });
}

/** name returns a person's name, first name first. */
export function name(
  p:
    | {
        first_name: string | null;
        last_name: string | null;
        middle_name?: string | null;
        suffix?: string | null;
      }
    | null
    | undefined,
): string {
  return (
    [p?.first_name, p?.middle_name, p?.last_name, p?.suffix].filter(Boolean).join(" ") || "No name"
  );
}

/** words returns a code such as needs_attention as Needs attention. */
export function words(code: string): string {
  const text = code.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** count returns a number with its noun: 1 claim, 2 claims. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
}

/** printable returns a payer's text with a visible sign for each character that has none, or that reorders the text around it. */
export function printable(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) =>
      c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "\ufffd",
    )
    .replace(/[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\ufffd");
}
