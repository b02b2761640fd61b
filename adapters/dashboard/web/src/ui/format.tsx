// Money, dates and names, as people write them.
import { createContext, useContext } from "react";
import { useNow } from "./clock";

/** browserZone is the time zone of this device. */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** ZoneContext is the time zone of the office. */
export const ZoneContext = createContext(browserZone);

/** useZone returns the time zone of the office: times are shown in it, and days begin in it. */
export function useZone(): string {
  return useContext(ZoneContext);
}

/** useToday returns the date at the office, by the time of its business. */
export function useToday(): string {
  return dateIn(useZone(), new Date(useNow()()));
}

/** dateIn returns the date of a moment in a time zone, such as 2026-01-09. */
export function dateIn(zone: string, at: Date): string {
  return at.toLocaleDateString("en-CA", { timeZone: zone }).padStart(10, "0");
}

/** daysAfter returns the date some days after another. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** midnight returns when a date begins in a time zone, as the API reads it. */
export function midnight(date: string, zone: string): string {
  const utc = Date.parse(date);
  const clock = Date.parse(
    `${new Date(utc).toLocaleString("sv-SE", { timeZone: zone }).replace(" ", "T").padStart(19, "0")}Z`,
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

/** sum returns what amounts add up to; missing ones count as nothing. */
export function sum(amounts: readonly (string | null | undefined)[]): string {
  return (amounts.reduce((n, a) => n + cents(a ?? "0"), 0) / 100).toFixed(2);
}

/** None stands for a value that is missing. */
export function None({ said = "none" }: { said?: string }) {
  return (
    <span className="muted none" role="img" aria-label={said}>
      –
    </span>
  );
}

/** Money shows an amount in tabular figures. Without one it shows a dash. */
export function Money({ value, strong }: { value: string | null | undefined; strong?: boolean }) {
  if (value == null) return <None />;
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

/** longDay returns a date such as 2026-01-09 as January 9, 2026. */
export function longDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-US", {
    timeZone: "UTC",
    dateStyle: "long",
  });
}

/** Day shows a date. */
export function Day({ value }: { value: string | null | undefined }) {
  if (!value) return <None />;
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
export function When({
  value,
  full,
  real,
  since,
}: {
  value: string | null | undefined;
  full?: boolean;
  since?: boolean; // what began then lasts
  real?: boolean; // the moment is one of real time, else of the business
}) {
  const zone = useZone();
  const now = useNow();
  if (!value) return <None said="never" />;
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
      {full ? whole : (since ? lasts : ago)(at, zone, real ? Date.now() : now())}
    </time>
  );
}

const week = 7 * 86_400;

/** lasts returns how long ago something began, or since which day it lasts when that is a week or more. */
export function lasts(at: Date, zone: string, now: number): string {
  const day = Math.abs(at.getTime() - now) / 1000 >= week;
  return `${day ? "since " : ""}${ago(at, zone, now)}`;
}

/** ago returns how far a moment is from now, or its day when that is a week or more. */
export function ago(at: Date, zone: string, now: number): string {
  const seconds = (at.getTime() - now) / 1000;
  if (Math.abs(seconds) < 60) return seconds > 0 ? "in seconds" : "just now";
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit || Math.abs(seconds) >= week) {
    return at.toLocaleDateString("en-US", {
      timeZone: zone,
      year: "numeric",
      month: "short",
      day: "numeric",
    });
  }
  const [name, length] = unit;
  const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
  return relative.format(Math.trunc(seconds / length), name);
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

/** printable returns a payer's text with a visible sign for each character that has none, or that
 *  reorders the text around it. */
export function printable(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) =>
        c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "\ufffd",
      )
      .replace(/[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\ufffd")
  );
}
