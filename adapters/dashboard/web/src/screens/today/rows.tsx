// A task as a row, on Today and on the page of what it is about.
import { ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMay, useMe } from "../../api/session";
import { Changer } from "../../ui/changer";
import { Day, Money, None, When } from "../../ui/format";
import { More } from "../../ui/menu";
import type { Column } from "../../ui/table";
import { DueOn } from "../payer-requests/due";
import { actOf, dueFrom, kinds, type Task } from "./acts";
import { atStake } from "./counts";
import { named } from "./many";
import { type Asks, Before, Questions, useAssign, useWake } from "./put-off";

/** Does is what a person does with a task of a list. */
export type Does = {
  act: (t: Task) => void;
  snooze: (t: Task) => void; // brings a snoozed one back
  take: (t: Task) => void; // or leaves it to nobody
  give: (t: Task) => void;
  decide: (t: Task) => void;
  note: (t: Task) => void;
};

/** useDoing returns what a person does with the tasks of a list, and the questions that it asks. */
export function useDoing(act: (t: Task) => void, snoozed = false): [Does, ReactNode] {
  const me = useMe().user?.id;
  const assign = useAssign();
  const wake = useWake();
  const [asks, ask] = useState<Asks>(null);
  return [
    {
      act,
      snooze: (task) => (snoozed ? wake.go(task) : ask({ what: "snooze", task })),
      take: (task) => assign.go({ task, to: task.assignee === me ? null : (me ?? null) }),
      give: (task) => ask({ what: "assign", task }),
      decide: (task) => {
        if (task.settles.length > 0) ask({ what: "settle", task });
      },
      note: (task) => ask({ what: "note", task }),
    },
    <Questions key="questions" asks={asks} close={() => ask(null)} />,
  ];
}

/** useTaskColumns returns the columns of tasks. On the page of a resource, all are about the
 *  same patient and payer. */
export function useTaskColumns(
  does: Does,
  { snoozed, resource }: { snoozed?: boolean; resource?: boolean },
): Column<Task>[] {
  const may = useMay();
  return [
    {
      head: "Task",
      cell: (t) => (
        <span className={resource ? "strong" : undefined}>
          {kinds[t.kind]}
          <span className="sub">{t.reason}</span>
          <Before task={t} />
          {!resource && t.notes[0] && (
            <span className="sub task-note">
              <Changer by={t.notes[0].by} />: <bdi>{t.notes[0].text}</bdi>
            </span>
          )}
        </span>
      ),
    },
    ...(resource ? [] : [about]),
    snoozed ? back : due,
    {
      head: "At stake",
      right: true,
      cell: (t) => <Money value={t.amount} strong />,
      sum: atStake,
    },
    { head: "Whose", cell: (t) => (t.assignee ? <Changer by={t.assignee} /> : <None />) },
    ...(may.write
      ? [
          {
            head: "Do",
            cell: (t: Task) => (
              <span className="above no-print">
                <More
                  look="quiet"
                  label={`What to do about ${named(t)}`}
                  items={[
                    // The page of a claim is where one looks at it.
                    ...(resource && t.actions[0] === "getClaim"
                      ? []
                      : [{ label: actOf(t).label, onSelect: () => does.act(t) }]),
                    { label: snoozed ? "Bring back" : "Snooze", onSelect: () => does.snooze(t) },
                    { label: "Assign", onSelect: () => does.give(t) },
                    ...(resource ? [] : [{ label: "Note", onSelect: () => does.note(t) }]),
                    ...(t.settles.length > 0
                      ? [{ label: "Decide", onSelect: () => does.decide(t) }]
                      : []),
                  ]}
                >
                  <ChevronDown size={16} aria-hidden />
                </More>
              </span>
            ),
          },
        ]
      : []),
  ];
}

const about: Column<Task> = {
  head: "Patient and payer",
  cell: (t) => (
    <span>
      {t.patient_name ?? t.payer?.name ?? <None />}
      {t.patient_name && <span className="sub">{t.payer?.name}</span>}
    </span>
  ),
};

const back: Column<Task> = {
  head: "Back",
  cell: (t) => (t.snoozed_until ? <Day value={t.snoozed_until} /> : "When something changes"),
};

const due: Column<Task> = {
  head: "Due",
  cell: (t) => (
    <span>
      {t.due_on ? (
        <DueOn day={t.due_on} by={t.due_from ? dueFrom[t.due_from] : ""} />
      ) : (
        <span className="sub">
          <When value={t.since} since />
        </span>
      )}
    </span>
  ),
};
