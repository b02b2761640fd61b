// The bar above the page of a resource whose task was opened from Today: what to do first, and the tasks beside it.
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useMay } from "../../api/session";
import { typed } from "../../api/typed";
import { Button } from "../../ui/button";
import { day, dollars } from "../../ui/format";
import { useKeys } from "../../ui/keys";
import { GoTo, useGo } from "../../ui/link";
import { rowsOf } from "../../ui/table";
import { actOf, dueFrom, kinds, placeOf, type Task } from "./acts";
import { named } from "./many";
import { onPage, toRead } from "./on";
import { press } from "./press";
import { type Asks, Before, Questions } from "./put-off";
import { keep, type Queue, useTasks, writesOf } from "./queue";
import "./bar.css";

/** Placed is the bar where the task is done, and elsewhere a link without keys. */
export function Placed({ queue, path }: { queue: Queue; path: string }) {
  const { api, mode } = useClient();
  const [{ claim_id: claim }] = useFilters("/attachments/new");
  const page = path.slice(mode.length + 1);
  const read = toRead(queue, page);
  const params = { params: { path: { id: read?.id ?? "" } } };
  const when = (kind: string) => ({ enabled: read?.kind === kind });
  const pages = {
    claims: api.useQuery("get", "/claims/{id}", params, when("claims")),
    appeals: api.useQuery("get", "/appeals/{id}", params, when("appeals")),
    attachments: api.useQuery("get", "/attachments/{id}", params, when("attachments")),
    deposits: api.useQuery("get", "/deposits/{id}", params, when("deposits")),
  };
  const shown = read && pages[read.kind];
  if (shown?.isPending) return <p className="task-bar no-print" />; // nothing moves when it comes
  if (onPage(queue, { path: page, claim, of: shown?.data }))
    return <Bar queue={queue} path={path} />;
  return <WayBack queue={queue} />;
}

/** WayBack leads from another page to the task. */
function WayBack({ queue }: { queue: Queue }) {
  const list = useTasks(queue.search);
  const rows = rowsOf(list);
  const at = rows.findIndex((t) => t.id === queue.task);
  const task = rows[at];
  if (list.data && !task) return null;
  return (
    <p className="task-bar no-print">
      {task && (
        <GoTo target={placeOf(task)}>
          Back to task {at + 1} of {list.hasNextPage ? `${rows.length}+` : rows.length}:{" "}
          {named(task)}
        </GoTo>
      )}
    </p>
  );
}

/** beside has the pages on which a task's act is also done, though the task is not about what they show. */
const beside: Partial<Record<string, RegExp>> = {
  matchDeposit: /\/deposits\/dep_/,
  recordAppealSent: /\/appeals\//,
  recordAppealDecided: /\/appeals\//,
};

/** Bar is the bar at one task. */
function Bar({ queue, path }: { queue: Queue; path: string }) {
  const client = useClient();
  const may = useMay();
  const go = useGo();
  const [asks, ask] = useState<Asks>(null);
  const list = useTasks(queue.search);
  const rows = list.data?.pages.flatMap((p) => p.data) ?? [];
  const found = rows.findIndex((t) => t.id === queue.task);
  const at = found < 0 ? queue.at : found;
  const task = rows[found];
  const next = found < 0 ? rows[at] : rows[at + 1];
  const previous = rows[at - 1];
  const { ready, claim } = useReady(queue, path, list.data !== undefined && found < 0);

  // The page that is shown: that of the task before, while the next one loads.
  const shown = useRouterState({ select: (s) => s.resolvedLocation?.pathname ?? "" });
  const today = () => go({ to: "/", search: queue.search });
  const open = (to: Task, place = rows.indexOf(to), stays = false) => {
    keep(client.mode, {
      ...queue,
      task: to.id,
      resource: to.resource.id,
      place: placeOf(to).to,
      actions: to.actions,
      at: place,
      writes: writesOf(client),
    });
    const target = placeOf(to);
    if (!stays && path !== `/${client.mode}${target.to}`) go(target);
  };
  const step = (to: Task | undefined) => () => (to ? open(to) : today());
  const asking = (what: NonNullable<Asks>["what"]) => () => {
    if (!task || !may.write || (what === "settle" && task.settles.length === 0)) return;
    ask({ what, task });
  };
  const own = task && shown.startsWith(`/${client.mode}${placeOf(task).to}`);
  const act = () => {
    if (!may.write) return;
    if (!task) {
      if (claim === "validated") press("submitClaim", queue.resource);
      return;
    }
    const { name, target } = actOf(task);
    const at = own || (path === shown && beside[name]?.test(path));
    // A deposit may pay another remittance than that of the task, and others are beside its own in
    // the lists of files and of checks.
    const listed = /^(quarantined_file|eligibility_batch_item)$/.test(task.resource.object);
    const only = (!own && name === "matchDeposit") || listed;
    if (at && press(name, queue.resource, only)) return;
    const idle = own && target.to === placeOf(task).to; // nothing on the page does it
    if (!idle) go(target);
    else if (!document.querySelector("main .loading")) asking("settle")();
  };
  // The notes are on the page of what the task is about, if it has one.
  const toNote = () => {
    const field = own && document.querySelector<HTMLElement>("main #notes [data-note]");
    if (field) field.focus();
    else asking("note")();
  };
  useKeys({
    a: act,
    s: asking("snooze"),
    g: asking("assign"),
    d: asking("settle"),
    j: step(next),
    k: step(previous),
    n: toNote,
    t: today,
  });

  // A task that has left the list by the person's own doing makes room for the next one: of the same resource, else of
  // the list.
  const ended = list.data !== undefined && found < 0 && !list.isFetching && ready;
  const advance = useEffectEvent(() => {
    if (writesOf(client) <= queue.writes) return;
    const same = rows.find((t) => t.resource.id === queue.resource);
    // A letter that was written is sent from its page. The list goes on at its place, and then from the top.
    if (same) open(same, queue.at, beside[actOf(same).name]?.test(path));
    else step(next ?? rows[0])();
  });
  // What is typed and not saved keeps the page, and is outside React, as is the clock.
  useEffect(() => {
    if (!ended) return;
    const timer = setInterval(() => {
      if (typed()) return;
      clearInterval(timer);
      advance();
    }, 100);
    return () => clearInterval(timer);
  }, [ended]);

  const count = `${list.hasNextPage ? `${rows.length}+` : rows.length}`;
  return (
    <section className="task-bar no-print" aria-label="Task">
      <p className="task-bar-what">
        {task ? (
          <>
            <span className="muted numbers">
              Task {at + 1} of {count}
            </span>{" "}
            <GoTo target={placeOf(task)} className="strong">
              {kinds[task.kind]}
            </GoTo>{" "}
            {[
              task.amount && dollars(task.amount),
              task.due_on &&
                `due ${day(task.due_on)}${task.due_from ? ` (${dueFrom[task.due_from]})` : ""}`,
            ]
              .filter(Boolean)
              .join(", ")}
            <span className="sub">{task.reason}</span>
            <Before task={task} />
          </>
        ) : (
          list.data && (
            <>
              <strong>This task is done or put off.</strong>
              <span className="sub">
                {claim === "validated"
                  ? "The claim is ready: send it with A, or go on."
                  : "Go on with the next one."}
              </span>
            </>
          )
        )}
      </p>
      <div className="row">
        {!task && claim === "validated" && may.write && (
          <Button onClick={act}>
            Send to the payer <kbd>A</kbd>
          </Button>
        )}
        {task && may.write && (
          <>
            {!(own && actOf(task).name === "getClaim") && (
              <Button onClick={act}>
                {actOf(task).label} <kbd>A</kbd>
              </Button>
            )}
            <Button look="quiet" onClick={asking("snooze")}>
              Snooze <kbd>S</kbd>
            </Button>
            <Button look="quiet" onClick={asking("assign")}>
              Assign <kbd>G</kbd>
            </Button>
            {task.settles.length > 0 && (
              <Button look="quiet" onClick={asking("settle")}>
                Decide <kbd>D</kbd>
              </Button>
            )}
          </>
        )}
        {task && may.write && (
          <Button look="quiet" onClick={toNote}>
            Note <kbd>N</kbd>
          </Button>
        )}
        <Button look="quiet" disabled={!previous} onClick={step(previous)}>
          Previous <kbd>K</kbd>
        </Button>
        <Button look="quiet" disabled={!next} onClick={step(next)}>
          Next <kbd>J</kbd>
        </Button>
        <Button look="quiet" onClick={today}>
          Back to Today <kbd>T</kbd>
        </Button>
      </div>
      <Questions asks={asks} close={() => ask(null)} />
    </section>
  );
}

/** useReady reports whether a person is finished with the resource of a task that has ended. A claim that was corrected
 *  has no task, and is still to be sent, as is the one that was made for the next payer and is shown. */
function useReady({ resource }: Queue, path: string, ended: boolean) {
  const { api } = useClient();
  const id = /\/claims\/(clm_\w+)$/.exec(path)?.[1] ?? resource;
  const claims = id.startsWith("clm_");
  const claim = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id } } },
    { enabled: ended && claims },
  );
  const state = claims ? claim.data?.state : undefined;
  return { ready: !claims || (!claim.isFetching && state !== "validated"), claim: state };
}
