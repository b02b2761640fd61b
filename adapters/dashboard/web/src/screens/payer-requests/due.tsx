// When a payer wants its answer, in words.
import type { Schemas } from "../../api/client";
import { Day, useToday } from "../../ui/format";
import { count } from "../../ui/plural";
import { Badge, type Tone } from "../../ui/state";

type Request = Schemas["PayerRequest"];

/** useDaysLeft returns a function that returns the days until a date, as the office counts them. It is
 *  negative for a past date. */
export function useDaysLeft(): (date: string) => number {
  const today = Date.parse(useToday());
  return (date) => Math.round((Date.parse(date) - today) / 86_400_000);
}

/** Due shows when an open request is due, with a tone. An answered one shows its date only. */
export function Due({ request: r }: { request: Request }) {
  if (!r.due_date) return <span className="muted">No date</span>;
  return r.state === "answered" ? <Day value={r.due_date} /> : <DueOn day={r.due_date} />;
}

/** DueOn shows a day on which something is due, with a tone, and who says so. */
export function DueOn({ day, by }: { day: string; by?: string }) {
  const left = useDaysLeft();
  const [text, tone] = inWords(left(day));
  return (
    <>
      <Badge tone={tone}>{text}</Badge>{" "}
      <span className="sub due-date">
        <Day value={day} />
        {by && `, ${by}`}
      </span>
    </>
  );
}

function inWords(days: number): [string, Tone] {
  if (days < 0) return [`${count(-days, "day")} overdue`, "bad"];
  if (days === 0) return ["Due today", "warn"];
  if (days === 1) return ["Due tomorrow", "warn"];
  return [`Due in ${days} days`, days <= 7 ? "warn" : "info"];
}

/** soonest orders requests: the first due first, and those without a date last. */
export function soonest(a: Request, b: Request): number {
  return (
    (a.due_date ?? "9999").localeCompare(b.due_date ?? "9999") ||
    b.created_at.localeCompare(a.created_at)
  );
}
