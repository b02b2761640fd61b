// The clock of test mode: what time it shows, what is due next, and what happens while it advances.
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../api/client";
import { useSend } from "../api/send";
import { Button } from "../ui/button";
import { instant, moment } from "../ui/clock";
import { eventTypes } from "../ui/codes";
import { CopyAsCurl } from "../ui/copy";
import { Modal } from "../ui/dialog";
import { DateField, FaultsOf } from "../ui/form";
import { dateIn, daysAfter, midnight, useZone } from "../ui/format";
import { Go, GoTo } from "../ui/link";
import { Failure, Notice, Read } from "../ui/page";
import { plural } from "../ui/plural";
import { Badge } from "../ui/state";
import { useToast } from "../ui/toast";
import { about, aim, type Begun, blocks, dueWork, happened, type Move, outcome } from "./advance";
import { screenOf } from "./places";
import "./test-clock.css";

type Clock = Schemas["SandboxClock"];

/** Listed are the events of an advance that the page lists, the newest first, and whether there are more. */
type Listed = { events: Schemas["Event"][]; more: boolean };

/** TestClock shows the clock, and moves it. An advance goes on while it is closed. */
export function TestClock({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { api, queries } = useClient();
  const zone = useZone();
  const toast = useToast();
  const [begun, begin] = useState<Begun | null>(null);
  // No stream says that an advance waits for something.
  const read = api.useQuery("get", "/sandbox/clock", undefined, {
    enabled: open,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === "advancing" ? 1_000 : false),
  });
  const clock = read.data;
  const found = clock?.state === "advancing" && !begun ? clock : undefined; // by another page, or before a reload
  const newest = api.useQuery(
    "get",
    "/events",
    { params: { query: { limit: 1 } } },
    { enabled: found !== undefined, staleTime: 0 },
  );
  if (found && newest.isSuccess && !newest.isFetching) begin(after(found, newest.data));
  const events = api.useQuery(
    "get",
    "/events",
    { params: { query: { created_after: begun?.before.now, limit: 50 } } },
    { enabled: open && begun !== null },
  );
  const shows = (c: Clock) =>
    queries.setQueryData(api.queryOptions("get", "/sandbox/clock").queryKey, c);
  const advance = useSend(
    async (to, key, { move, before }: { move: Move; before: Clock }) => {
      const { data } = await to.GET("/events", { params: { query: { limit: 1 } } });
      begin((was) => was ?? { move, ...after(before, data) }); // once, however often it is sent
      return to.POST("/sandbox/clock/advance", { params: { header: key }, body: move });
    },
    {
      refused: (e) => e.error === "CLOCK_ADVANCING" || e.errors.some((f) => f.field === "to"),
      failed: () => {
        begin(null);
        void read.refetch();
      },
      done: (c) => {
        shows(c);
        if (!open && c.state === "ready")
          toast.good(`The test clock shows ${instant(Date.parse(c.now), zone)}.`);
      },
    },
  );
  const set = useSend(
    (to, key, running: boolean) =>
      to.PATCH("/sandbox/clock", { params: { header: key }, body: { running } }),
    {
      refused: (e) => e.error === "CLOCK_ADVANCING",
      failed: () => void read.refetch(),
      done: shows,
    },
  );
  const stop = useSend((to, key) => to.POST("/sandbox/clock/stop", { params: { header: key } }), {
    done: shows,
  });
  const advancing = clock?.state === "advancing" || advance.isPending;
  const listed = happened(events.data, begun);
  const busy = advancing || set.isPending;
  return (
    <Modal title="Test clock" open={open} onOpenChange={onOpenChange} forgets>
      <Read of={read} rows={8}>
        {(c) => (
          <div className="stack">
            <Time
              clock={c}
              busy={busy}
              set={(running) => {
                begin(null);
                set.go(running);
              }}
            />
            <FaultsOf
              list={isAPIError(advance.error) ? advance.error.errors : []}
              request={advance.input?.move ?? {}}
            >
              <Moves
                clock={c}
                busy={busy}
                move={(move) => {
                  begin(null);
                  advance.go({ move, before: c });
                }}
              />
            </FaultsOf>
            <Progress
              clock={c}
              begun={begun}
              advancing={advancing}
              of={listed}
              ended={
                !advancing && events.isSuccess && (listed.events.length > 0 || !events.isFetching)
              }
              stopping={stop.isPending}
              stop={() => stop.go()}
            />
            {begun && events.isError && (
              <Failure error={events.error} retry={() => void events.refetch()} />
            )}
            {begun && <Happened of={listed} since={begun.before.now} />}
            <div>
              <CopyAsCurl path="/sandbox/clock" />
            </div>
          </div>
        )}
      </Read>
    </Modal>
  );
}

/** after returns what an advance of a clock begins after: all events of the page. */
function after(before: Clock, newest: { data: { id: string }[] } | undefined): Begun {
  return { before, newest: newest?.data[0]?.id ?? "" };
}

/** Time shows what the clock shows, and what is due next. */
function Time({
  clock: c,
  busy,
  set,
}: {
  clock: Clock;
  busy: boolean;
  set: (running: boolean) => void;
}) {
  const zone = useZone();
  const seen = (at: string) => instant(Date.parse(at), zone);
  const about = c.next?.resource ? screenOf(c.next.resource) : undefined;
  return (
    <>
      <p className="row">
        <span className="clock-time numbers">{seen(c.now)}</span>
        {state(c)}
      </p>
      <div className="spread">
        <span className="muted small numbers">Real time: {seen(c.real_now)}</span>
        <Button aria-disabled={busy || undefined} onClick={() => !busy && set(!c.running)}>
          {c.running ? "Stop the clock" : "Let it run"}
        </Button>
      </div>
      <p className="muted">
        Everything in test mode happens at the time of this clock. It only goes forward. Live mode
        always has real time.
      </p>
      <p>
        {c.next ? (
          <>
            <strong>Next:</strong> {seen(c.next.at)}, {dueWork[c.next.kind]}.{" "}
            {about && <GoTo target={about}>See it</GoTo>}{" "}
            {plural(c.pending, "Nothing else is due.", `${c.pending} things are due in all.`)}
          </>
        ) : (
          "Nothing is due."
        )}
      </p>
    </>
  );
}

/** state says in a word what the clock does. */
function state(c: Clock) {
  if (c.state === "advancing") return <Badge tone="info">Advancing</Badge>;
  if (c.state === "resetting") return <Badge tone="info">Being reset</Badge>;
  return c.running ? <Badge tone="good">Running</Badge> : <Badge tone="warn">Stopped</Badge>;
}

/** Moves are the ways to advance the clock. */
function Moves({
  clock: c,
  busy,
  move,
}: {
  clock: Clock;
  busy: boolean;
  move: (how: Move) => void;
}) {
  const zone = useZone();
  const [day, setDay] = useState("");
  const today = dateIn(zone, new Date(c.now));
  return (
    <section className="stack-s" aria-labelledby="advance">
      <h3 id="advance">Advance the clock</h3>
      <div className="row">
        {(
          [
            ["By a day", { by: "P1D" }],
            ["By two weeks", { by: "P14D" }],
            ["To what is due next", { until: "next" }],
            ["Until nothing is due", { until: "idle" }],
          ] as const
        ).map(([label, how]) => (
          <Button key={label} aria-disabled={busy || undefined} onClick={() => !busy && move(how)}>
            {label}
          </Button>
        ))}
      </div>
      <form
        className="clock-day"
        onSubmit={(e) => {
          e.preventDefault();
          if (!busy) move({ to: midnight(day, zone) });
        }}
      >
        <DateField
          label="To the beginning of a day"
          path="to"
          value={day}
          onChange={setDay}
          min={daysAfter(today, 1)}
          max={daysAfter(today, 366)}
          required
        />
        <Button type="submit" aria-disabled={busy || undefined}>
          To this day
        </Button>
      </form>
    </section>
  );
}

/** Progress says how an advance stands, or where it ended. */
function Progress({
  clock: c,
  begun,
  advancing,
  of,
  ended,
  stopping,
  stop,
}: {
  clock: Clock;
  begun: Begun | null;
  advancing: boolean;
  of: Listed;
  ended: boolean; // and all that happened is there
  stopping: boolean;
  stop: () => void;
}) {
  const zone = useZone();
  const seen = (at: string) => instant(Date.parse(at), zone);
  const from = Date.parse(begun?.before.now ?? c.now);
  return (
    <div className="clock-now stack-s">
      <div className="spread">
        <p role="status">
          {advancing && aim(begun?.move, c.target && seen(c.target))}
          {ended && begun && outcome(begun, seen(c.now), of)}
        </p>
        {c.state === "advancing" && (
          <Button busy={stopping} onClick={stop}>
            Stop here
          </Button>
        )}
      </div>
      {advancing && c.target && (
        <progress
          aria-label="Advance"
          max={Date.parse(c.target) - from}
          value={Date.parse(c.now) - from}
        />
      )}
      {c.blocked && (
        <div role="alert">
          <Notice tone="warn" title="Nothing has happened for a minute.">
            {blocks[c.blocked]} The advance goes on by itself as soon as it can. You can also stop
            it here.
          </Notice>
        </div>
      )}
    </div>
  );
}

/** Happened lists what happened in an advance, the newest first. */
function Happened({ of: { events }, since }: { of: Listed; since: string }) {
  const zone = useZone();
  if (events.length === 0) return null;
  return (
    <section aria-label="What happened">
      <div className="spread">
        <h3>What happened</h3>
        <Go to="/developers/events" search={{ created_after: since }}>
          All events
        </Go>
      </div>
      <ul className="plain clock-events">
        {events.map((e) => (
          <li key={e.id} className="spread">
            <span>
              <GoTo target={screenOf(e.data.id) ?? { to: `/developers/events/${e.id}` }}>
                {eventTypes[e.type]}
              </GoTo>{" "}
              <span className="muted small">{about(e)}</span>
            </span>
            <span className="muted small numbers">{moment(e.created_at, zone)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
