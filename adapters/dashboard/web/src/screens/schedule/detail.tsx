// A batch of checks: its progress while the payers are asked, and then the list for the morning.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Ban, Printer, RotateCcw } from "lucide-react";
import { useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button } from "../../ui/button";
import { moment } from "../../ui/clock";
import { Confirm } from "../../ui/dialog";
import { Check, SelectField } from "../../ui/form";
import { longDay, useZone, When } from "../../ui/format";
import { More } from "../../ui/menu";
import { Empty, Page, Read, Section, Waiting } from "../../ui/page";
import { count } from "../../ui/plural";
import { useSheets } from "../eligibility/sheets";
import {
  answeredOf,
  askedOf,
  type Batch,
  dayOfAll,
  type Item,
  inOrder,
  itemOutcomes,
  made,
  mayRepeat,
} from "./items";
import { BatchState } from "./list";
import { everyItem } from "./many";
import { Morning } from "./morning";
import "./schedule.css";

/** useItems returns the items of a batch in the order of the morning. They load again while the payers are asked. */
function useItems(id: string, batch: Batch | undefined) {
  const { fetch } = useClient();
  return useQuery({
    queryKey: ["items of a schedule", id, batch?.state, batch?.waiting, batch?.needs_a_person],
    enabled: batch !== undefined,
    placeholderData: (last: Item[] | undefined, of) => (of?.queryKey[1] === id ? last : undefined),
    // A long list is ten requests.
    refetchInterval: batch?.state === "running" ? Math.max(2000, batch.items * 10) : false,
    queryFn: async ({ signal }) => inOrder(await everyItem(fetch, id, {}, signal)),
  });
}

export function ScheduleDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api, mode } = useClient();
  const may = useMay();
  const zone = useZone();
  const [filters, set] = useFilters("/schedule/$id");
  const batch = api.useQuery(
    "get",
    "/eligibility/batches/{id}",
    { params: { path: { id } } },
    { refetchInterval: (q) => (q.state.data?.state === "running" ? 2000 : false) },
  );
  const items = useItems(id, batch.data);
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const officeOf = (office: string) => offices.data?.data.find((o) => o.id === office)?.name ?? "";
  const [print, sheets] = useSheets();
  if (!batch.data) return <Waiting title="Schedule" rows={10} of={batch} />;
  const b = batch.data;
  const places = [...new Set(items.data?.map((i) => askedOf(i).office_id))];
  const shown = items.data?.filter(
    (i) =>
      (filters.needs_a_person === undefined || i.needs_a_person === filters.needs_a_person) &&
      (!filters.outcome || i.outcome === filters.outcome),
  );
  const day = dayOfAll(shown ?? [], zone);
  const printSheets = (office: boolean) => void print(answeredOf(shown ?? []), office);
  return (
    <Page
      title={b.name}
      above={<Back to="/schedule">Schedule</Back>}
      curl={`/eligibility/batches/${id}`}
      printed={
        !sheets && (
          <p>
            {mode === "test" && <strong>Test mode: not real payers’ answers. </strong>}
            {[...places.map(officeOf), b.name, day && `appointments on ${longDay(day)}`]
              .filter(Boolean)
              .join(" · ")}{" "}
            · asked <When value={b.created_at} full />
          </p>
        )
      }
      about={
        <>
          <BatchState of={b} />
          <span>{count(b.items, "patient")}</span>
          {b.needs_a_person > 0 && (
            <span>
              {b.needs_a_person === 1
                ? "1 needs a person"
                : `${b.needs_a_person.toLocaleString("en-US")} need a person`}
            </span>
          )}
          <span className="no-print">
            asked <When value={b.created_at} />
          </span>
        </>
      }
      actions={
        <>
          <More
            items={[
              { label: "The list for the morning", onSelect: () => window.print() },
              { label: "A page for each patient", onSelect: () => printSheets(true) },
              {
                label: "A page for each patient, without codes",
                onSelect: () => printSheets(false),
              },
            ]}
          >
            <Printer size={16} aria-hidden />
            Print
          </More>
          {may.write && <AskAgain batch={b} items={items.data ?? []} />}
          {may.write && (b.state === "running" || b.state === "waiting") && <Cancel batch={b} />}
        </>
      }
    >
      {(b.state === "running" || made(b) > b.outcomes.answered) && <Progress of={b} />}
      <div className={sheets ? "no-print" : undefined}>
        <Section flush>
          <div className="filters no-print">
            <Check
              label="Only those that need a person"
              checked={filters.needs_a_person === true}
              onChange={(on) => set({ needs_a_person: on ? true : undefined })}
            />
            <SelectField
              label="Outcome"
              value={filters.outcome ?? ""}
              onChange={(v) =>
                set({ outcome: (v || undefined) as keyof typeof itemOutcomes | undefined })
              }
              options={[["", "All"], ...Object.entries(itemOutcomes)]}
            />
          </div>
          <Read of={{ ...items, data: shown }} rows={8}>
            {(rows) =>
              rows.length > 0 ? (
                <Morning
                  batch={b}
                  items={rows}
                  print={(items) => print(answeredOf(items), true)}
                  officeOf={places.length > 1 ? officeOf : undefined}
                />
              ) : (
                <Empty title="No such patient">Choose another filter to see more.</Empty>
              )
            }
          </Read>
        </Section>
      </div>
      {sheets}
    </Page>
  );
}

/** Progress shows how many patients have an outcome, by outcome, and when the last one is expected. */
function Progress({ of: b }: { of: Batch }) {
  const zone = useZone();
  const share = Math.round((100 * made(b)) / Math.max(1, b.items));
  return (
    <div className="no-print">
      <Section>
        {b.state === "running" && (
          <>
            <div className="spread">
              <p role="status">
                {made(b).toLocaleString("en-US")} of {count(b.items, "patient")} finished
              </p>
              {b.expected_at && (
                <p className="muted">Done at about {moment(b.expected_at, zone)}</p>
              )}
            </div>
            <div className="bar" role="img" aria-label={`${share}% is finished`}>
              <div style={{ width: `${share}%` }} />
            </div>
          </>
        )}
        <dl className="facts">
          {Object.entries(itemOutcomes)
            .filter(([o]) => b.outcomes[o as keyof typeof itemOutcomes] > 0)
            .map(([o, words]) => (
              <div key={o}>
                <dt>{words}</dt>
                <dd className="numbers">
                  {b.outcomes[o as keyof typeof itemOutcomes].toLocaleString("en-US")}
                </dd>
              </div>
            ))}
        </dl>
      </Section>
    </div>
  );
}

/** AskAgain asks once more about all whom the payers did not answer. */
function AskAgain({ batch: b, items }: { batch: Batch; items: readonly Item[] }) {
  const again = items.filter(mayRepeat).map((i) => i.item_id);
  const send = useSend(
    (fetch, key, item_ids: string[]) =>
      fetch.POST("/eligibility/batches/{id}/retry", {
        params: { path: { id: b.id }, header: key },
        body: { item_ids },
      }),
    { says: "The payers are asked again." },
  );
  if (again.length < 2 || b.state === "canceled") return null;
  return (
    <Button
      icon={<RotateCcw size={16} aria-hidden />}
      busy={send.isPending}
      onClick={() => send.go(again)}
    >
      Ask again about {again.length.toLocaleString("en-US")}
    </Button>
  );
}

function Cancel({ batch: b }: { batch: Batch }) {
  const send = useSend(
    (fetch, key) =>
      fetch.POST("/eligibility/batches/{id}/cancel", {
        params: { path: { id: b.id }, header: key },
        body: {},
      }),
    { says: "Nothing more is asked." },
  );
  return (
    <Confirm
      trigger={(open) => (
        <Button icon={<Ban size={16} aria-hidden />} onClick={open} busy={send.isPending}>
          Ask nothing more
        </Button>
      )}
      title="Ask nothing more?"
      action="Ask nothing more"
      danger
      onConfirm={() => send.go()}
    >
      <p>
        {b.pending > 0
          ? `${count(b.pending, "patient")} would stay without an answer. What the payers answered stays.`
          : "No patient is checked again before the appointment. What the payers answered stays."}
      </p>
    </Confirm>
  );
}
