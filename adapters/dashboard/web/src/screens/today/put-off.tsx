// What a person does with a task beside its act: put it off, give it to somebody, and decide that nothing is done.
import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { useSend } from "../../api/send";
import { useMe } from "../../api/session";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { DateField, TextField } from "../../ui/form";
import { day, daysAfter, dollars, useToday, When } from "../../ui/format";
import { NoteList } from "../../ui/notes";
import { decided, decisions, kinds, notedOf, type Task } from "./acts";

/** Asks is a question about a task that is open. */
export type Asks = { what: "snooze" | "assign" | "settle" | "note"; task: Task } | null;

const titles = {
  snooze: "Until when?",
  assign: "Who does it?",
  settle: "What is decided?",
  note: "Notes",
};

/** Questions are the dialogs that put a task off, give it to a person, decide it, and note something. */
export function Questions({ asks, close }: { asks: Asks; close: () => void }) {
  return (
    <Modal
      title={titles[asks?.what ?? "snooze"]}
      open={asks !== null}
      onOpenChange={(o) => {
        if (!o) close();
      }}
      first=".choices button, [data-note]"
      forgets={asks?.what !== "note"}
    >
      {asks?.what === "snooze" && <Snooze task={asks.task} close={close} />}
      {asks?.what === "assign" && <Assign task={asks.task} close={close} />}
      {asks?.what === "settle" && <Settle task={asks.task} close={close} />}
      {asks?.what === "note" && (
        <div className="stack">
          <NoteList {...notedOf(asks.task)} added={close} />
        </div>
      )}
    </Modal>
  );
}

/** useSnooze returns a function that puts a task off until a day, or with null until it changes. */
function useSnooze(task: Task) {
  return useSend(
    (api, key, until: string | null) =>
      api.POST("/tasks/{id}/snooze", {
        params: { path: { id: task.id }, header: key },
        body: until ? { until } : {},
      }),
    { says: snoozedUntil },
  );
}

function Snooze({ task, close }: { task: Task; close: () => void }) {
  const send = useSnooze(task);
  return (
    <Until
      go={(to) => {
        close();
        send.go(to);
      }}
    />
  );
}

/** Until asks for a day; null is until something changes. */
export function Until({ go }: { go: (to: string | null) => void }) {
  const today = useToday();
  const [until, setUntil] = useState("");
  const tomorrow = daysAfter(today, 1);
  const monday = daysAfter(today, 7 - ((new Date(today).getUTCDay() + 6) % 7));
  return (
    <div className="stack">
      <div className="choices">
        <Button onClick={() => go(tomorrow)}>Tomorrow</Button>
        <Button onClick={() => go(monday)}>Next week, {day(monday)}</Button>
        <Button onClick={() => go(null)}>Until something changes</Button>
      </div>
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault();
          go(until);
        }}
      >
        <DateField label="A day" value={until} onChange={setUntil} min={tomorrow} required />
        <Button type="submit">Snooze until this day</Button>
      </form>
    </div>
  );
}

/** snoozedUntil says how long a task is put off. */
export const snoozedUntil = (t: Task) =>
  t.snoozed_until ? `Snoozed until ${day(t.snoozed_until)}.` : "Snoozed until something changes.";

/** useWhose returns a function that says whose a task is. */
export function useWhose(): (t: Task) => string {
  const { user, organization } = useMe();
  return ({ assignee }) => {
    if (!assignee) return "The task is nobody’s.";
    if (assignee === user?.id) return "The task is yours.";
    const person = organization.people.find((p) => p.id === assignee);
    return `The task is given to ${person?.name ?? "the user"}.`;
  };
}

/** useAssign returns a function that gives a task to a user, or with null to nobody. */
export function useAssign() {
  const whose = useWhose();
  return useSend(
    (api, key, { task, to }: { task: Task; to: string | null }) =>
      api.POST("/tasks/{id}/assign", {
        params: { path: { id: task.id }, header: key },
        body: { user_id: to },
      }),
    { says: whose },
  );
}

function Assign({ task, close }: { task: Task; close: () => void }) {
  const send = useAssign();
  return (
    <People
      of={task.assignee}
      go={(to) => {
        close();
        send.go({ task, to });
      }}
    />
  );
}

/** People asks whose tasks are to be; null is nobody. They are one person's, nobody's, or of
 *  several people. */
export function People({
  of,
  go,
}: {
  of: string | null | undefined;
  go: (to: string | null) => void;
}) {
  const { user, organization } = useMe();
  const people: [string | null, string][] = [
    ...(user ? [[user.id, "Me"] as [string, string]] : []),
    [null, "Nobody"],
    ...organization.people
      .filter((p) => p.id !== user?.id)
      .map((p): [string, string] => [p.id, p.name]),
  ];
  return (
    <div className="choices">
      {people
        .filter(([id]) => id !== of)
        .map(([to, name]) => (
          <Button key={to} onClick={() => go(to)}>
            {name}
          </Button>
        ))}
    </div>
  );
}

/** Settle ends a task with a decision, which the claim, request or attachment keeps. */
function Settle({ task, close }: { task: Task; close: () => void }) {
  const [note, setNote] = useState("");
  const send = useSend(
    (api, key, as: Task["settles"][number]) =>
      api.POST("/tasks/{id}/settle", {
        params: { path: { id: task.id }, header: key },
        body: { as, note: note || null },
      }),
    {
      says: (t) =>
        t.settled?.as === "handled"
          ? "Done. The task comes again when the claim changes."
          : "Decided. The task comes again if its amount changes.",
    },
  );
  return (
    <div className="stack">
      <Dialog.Description className="strong">
        <bdi>{task.patient_name ?? task.payer?.name ?? kinds[task.kind]}</bdi>
        {task.amount && `, ${dollars(task.amount)}`}
      </Dialog.Description>
      <TextField
        label="Note"
        value={note}
        onChange={setNote}
        hint="Why. It stays with the decision."
      />
      <div className="choices">
        {task.settles.map((as) => (
          <Button
            key={as}
            onClick={() => {
              close();
              send.go(as);
            }}
          >
            {decisions[as]}
          </Button>
        ))}
      </div>
    </div>
  );
}

/** Before is the decision about a task that came again. */
export function Before({ task: { kind, settled, state } }: { task: Task }) {
  if (!settled || state === "done") return null;
  const what = settled.as === "handled" ? "The claim has changed" : "The amount has changed";
  return (
    <span className="sub">
      Decided <When value={settled.at} />
      {settled.amount && ` for ${dollars(settled.amount)}`}: {decided[settled.as]}.{" "}
      {kind === "check_needs_person" ? "The payer was asked again" : what} since.
    </span>
  );
}

/** useWake brings a snoozed task back. */
export function useWake() {
  return useSend(
    (api, key, task: Task) =>
      api.POST("/tasks/{id}/wake", { params: { path: { id: task.id }, header: key } }),
    { says: "The task is back on the list." },
  );
}
