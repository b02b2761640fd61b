// The list for the morning: each patient with what to say, and what a person has to do.
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { screenOf } from "../../shell/places";
import { Button } from "../../ui/button";
import { Confirm } from "../../ui/dialog";
import { Day, Money, None, name, useZone, When } from "../../ui/format";
import { Keys } from "../../ui/keys";
import { Go } from "../../ui/link";
import { Notes } from "../../ui/notes";
import { Read, Section } from "../../ui/page";
import { useMany } from "../../ui/selection";
import { Badge } from "../../ui/state";
import { Table } from "../../ui/table";
import { CheckForm } from "../eligibility/form";
import { decided } from "../today/acts";
import { useAssignTasks } from "../today/many";
import {
  adviceOf,
  answeredOf,
  askedOf,
  type Batch,
  clock,
  dayOf,
  type Item,
  mayRepeat,
  patientOf,
  saidOf,
  undecided,
} from "./items";
import { askNoMore, itemActs } from "./many";

/** usePayers returns the payers of items, by what the items call them: an ID, a payer ID or an alias. It is undefined
 *  while a payer loads, and null for none. */
function usePayers(
  items: readonly Item[],
): (called: string) => Schemas["Payer"] | null | undefined {
  const { api } = useClient();
  const called = [...new Set(items.map((i) => askedOf(i).payer_id))];
  const found = useQueries({
    queries: called.map((search) =>
      api.queryOptions(
        "get",
        "/payers",
        { params: { query: { search, limit: 100 } } },
        { staleTime: Number.POSITIVE_INFINITY },
      ),
    ),
  });
  return (id) => {
    const same = (text: string) => text.toUpperCase() === id.trim().toUpperCase();
    const all = found[called.indexOf(id)]?.data?.data;
    return all && (all.find((p) => [p.id, p.payer_id, ...p.aliases].some(same)) ?? null);
  };
}

/** Morning lists items: what needs a person, then the others, each by their appointments. */
export function Morning({
  batch: b,
  items,
  officeOf,
  print,
}: {
  batch: Batch;
  items: readonly Item[];
  print: (items: readonly Item[]) => unknown; // a page for each
  officeOf?: ((id: string) => string) | undefined; // of a list of several offices
}) {
  const zone = useZone();
  const payers = usePayers(items);
  const assign = useAssignTasks<Item>();
  const many = useMany(items, {
    id: (i) => i.id,
    name: (i) => name(patientOf(i)),
    target: (i) => (i.eligibility_id ? screenOf(i.eligibility_id) : undefined),
    acts: [...itemActs(b), { ...assign, not: undecided }, askNoMore(b)],
    uses: [
      {
        name: "Print a page for each",
        not: (i) => (answeredOf([i]).length > 0 ? null : "The payer has not answered."),
        does: print,
      },
    ],
  });
  const days = new Set(items.map((i) => dayOf(i, zone))).size > 1;
  const parts = [
    ["Needs a person", items.filter((i) => i.needs_a_person)],
    ["By appointment", items.filter((i) => !i.needs_a_person)],
  ] as const;
  return (
    <>
      <div id={many.table}>
        {parts.map(
          ([title, rows]) =>
            rows.length > 0 && (
              <section key={title} className="morning" aria-label={title}>
                <h2>{title}</h2>
                <Table
                  caption={title}
                  rows={rows}
                  select={many.select}
                  id={(i) => i.item_id}
                  columns={[
                    {
                      head: "Time",
                      cell: (i) => (
                        <span className="nowrap numbers">
                          <Time of={i} zone={zone} />
                          {days && (
                            <span className="sub">
                              <Day value={dayOf(i, zone)} />
                            </span>
                          )}
                        </span>
                      ),
                    },
                    {
                      head: "Patient",
                      cell: (i) => <Patient of={i} office={officeOf?.(askedOf(i).office_id)} />,
                    },
                    {
                      head: "Payer",
                      cell: (i) => (
                        <div className="morning-name">
                          <Payer of={payers(askedOf(i).payer_id)} called={askedOf(i).payer_id} />
                        </div>
                      ),
                    },
                    {
                      head: "Coverage",
                      cell: (i) => {
                        const { word, tone, more } = saidOf(i, zone);
                        return (
                          <div>
                            <Badge tone={tone}>{word}</Badge> {more}
                            {i.state === "pending" && <CancelOne of={i} />}
                          </div>
                        );
                      },
                    },
                    {
                      head: "Maximum left",
                      right: true,
                      cell: (i) => <Money value={i.maximum_remaining} />,
                    },
                    {
                      head: "Deductible left",
                      right: true,
                      cell: (i) => <Money value={i.deductible_remaining} />,
                    },
                  ]}
                  open={(i) =>
                    i.needs_a_person && (
                      <ToDo batch={b} item={i} payer={payers(askedOf(i).payer_id) ?? null} />
                    )
                  }
                />
              </section>
            ),
        )}
      </div>
      <Keys of={many.keys.filter(([key]) => key !== "Enter")} />
      {many.bar}
    </>
  );
}

function Payer({ of: p, called }: { of: Schemas["Payer"] | null | undefined; called: string }) {
  return p === undefined ? "…" : (p?.name ?? called);
}

function Time({ of: i, zone }: { of: Item; zone: string }) {
  if (!i.appointment_at) return <None said="no time" />;
  return clock(zone, i.appointment_at);
}

/** Patient leads to the check, if the payer was asked. */
function Patient({ of: i, office }: { of: Item; office: string | undefined }) {
  const who = patientOf(i);
  return (
    <div className="morning-name">
      {i.eligibility_id ? (
        <Go to={`/eligibility/${i.eligibility_id}`} className="strong">
          {name(who)}
        </Go>
      ) : (
        <span className="strong">{name(who)}</span>
      )}
      <span className="sub">
        Born <Born value={who.date_of_birth} />
      </span>
      {office && <span className="sub">{office}</span>}
    </div>
  );
}

/** Born shows a date of birth, as it was sent if it is none. */
function Born({ value }: { value: string }) {
  return Number.isNaN(Date.parse(value)) ? value : <Day value={value} />;
}

/** CancelOne leaves a patient whom the payer has not answered without an answer. */
function CancelOne({ of: i }: { of: Item }) {
  const may = useMay();
  const who = name(patientOf(i));
  const send = useSend(
    (fetch, key) =>
      fetch.POST("/eligibility/batches/{id}/items/{item_id}/cancel", {
        params: { path: { id: i.batch_id, item_id: i.item_id }, header: key },
        body: {},
      }),
    { says: `The payer is not asked again about ${who}.` },
  );
  if (!may.write) return null;
  return (
    <div className="no-print">
      <Confirm
        trigger={(open) => (
          <Button aria-label={`Ask no more about ${who}`} onClick={open} busy={send.isPending}>
            Ask no more
          </Button>
        )}
        title={`Ask no more about ${who}?`}
        action="Ask no more"
        danger
        onConfirm={() => send.go()}
      >
        <p>The patient stays without an answer. The other patients are still asked about.</p>
      </Confirm>
    </div>
  );
}

/** ToDo says what a person does about an item, and lets them correct it and ask again. */
function ToDo({
  batch: b,
  item: i,
  payer,
}: {
  batch: Batch;
  item: Item;
  payer: Schemas["Payer"] | null;
}) {
  const may = useMay();
  const [corrects, correct] = useState(false);
  const [notes, showNotes] = useState(false);
  const advice = adviceOf(i);
  const who = name(patientOf(i));
  const again = useSend(
    (fetch, key) =>
      fetch.POST("/eligibility/batches/{id}/retry", {
        params: { path: { id: b.id }, header: key },
        body: { item_ids: [i.item_id] },
      }),
    { says: "The payer is asked again." },
  );
  const acts = may.write && b.state !== "canceled";
  return (
    <div className="stack-s">
      {i.settled ? (
        <p>
          Decided <When value={i.settled.at} />: {decided[i.settled.as]}.
        </p>
      ) : (
        advice && <p>{advice}</p>
      )}
      <div className="row no-print">
        {acts && (
          <Button
            data-act="retryEligibilityBatch"
            data-of={i.id}
            aria-expanded={corrects}
            aria-label={`Correct and ask again about ${who}`}
            onClick={() => correct(!corrects)}
          >
            Correct and ask again
          </Button>
        )}
        {acts && mayRepeat(i) && (
          <Button
            aria-label={`Ask again about ${who}`}
            busy={again.isPending}
            onClick={() => again.go()}
          >
            Ask again
          </Button>
        )}
        {i.eligibility_id && (
          <Go
            to={`/eligibility/${i.eligibility_id}`}
            aria-label={`Open the check of ${who}`}
            data-act="getEligibilityCheck"
            data-of={i.id}
          >
            Open the check
          </Go>
        )}
        <Button
          look="quiet"
          aria-expanded={notes}
          aria-label={`Notes about ${who}`}
          onClick={() => showNotes(!notes)}
        >
          Notes
        </Button>
      </div>
      {notes && (
        <Notes of="/eligibility/batches/{id}/items/{item_id}/notes" id={b.id} item={i.item_id} />
      )}
      {corrects && acts && <Correct batch={b} item={i} payer={payer} done={() => correct(false)} />}
    </div>
  );
}

/** Correct is the form of the item's check, with what is wrong at its fields. */
function Correct({
  batch: b,
  item: i,
  payer,
  done,
}: {
  batch: Batch;
  item: Item;
  payer: Schemas["Payer"] | null;
  done: () => void;
}) {
  const { api } = useClient();
  const rejected = i.outcome === "rejected" && i.eligibility_id !== null;
  const check = api.useQuery(
    "get",
    "/eligibility/{id}",
    { params: { path: { id: i.eligibility_id ?? "" } } },
    { enabled: rejected },
  );
  const asked = askedOf(i);
  const form = (faults: readonly { field: string | null; message: string; fix?: string }[]) => (
    <CheckForm
      from={{
        office_id: asked.office_id,
        payer,
        request: {
          ...asked,
          patient: asked.patient ?? null,
          service_date: asked.service_date ?? "",
          procedure_codes: asked.procedure_codes ?? [],
        },
        faults,
      }}
      asks={(fetch, key, body) =>
        fetch.POST("/eligibility/batches/{id}/retry", {
          params: { path: { id: b.id }, header: key },
          body: {
            items: [
              {
                ...body,
                item_id: i.item_id,
                appointment_at: i.appointment_at,
                appointment_id: i.appointment_id,
              },
            ],
          },
        })
      }
      done={done}
    />
  );
  return (
    <Section>
      {rejected ? (
        <Read of={check} rows={4}>
          {(c) => form(c.rejection?.reasons ?? [])}
        </Read>
      ) : (
        form(i.errors)
      )}
    </Section>
  );
}
