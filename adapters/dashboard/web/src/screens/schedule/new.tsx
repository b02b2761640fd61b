// Verifying the patients of a schedule: a file of another program, its corrections, and the start.
import { useQuery } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useRef, useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button, ButtonLink } from "../../ui/button";
import { useLeaving } from "../../ui/dialog";
import { AreaField, SelectField, TextField } from "../../ui/form";
import { day } from "../../ui/format";
import { Go, useGo } from "../../ui/link";
import { Failure, Loading, Notice, Page, Section } from "../../ui/page";
import { count, plural } from "../../ui/plural";
import { useRecent } from "../../ui/recent";
import { useToast } from "../../ui/toast";
import { Columns } from "./columns";
import { corrected, type File, fields, fileOf, type Kept, keeping, split, written } from "./file";
import { joined, parts } from "./parts";
import { Rows } from "./rows";
import "./schedule.css";

type Schedule = Schemas["Schedule"];

/** Taken is the file that a person took. Once a cell is corrected, the page has the rows itself. */
type Taken = {
  id: number;
  name: string;
  bytes: ArrayBuffer | Uint8Array;
  revision: number; // of what is read
  file?: File;
};

/** useRead returns what the service reads of a file, which it does not keep. */
function useRead(taken: Taken | null, office: string) {
  const { fetch } = useClient();
  return useQuery({
    queryKey: ["a schedule", taken?.id, taken?.revision, office],
    enabled: taken !== null && office !== "",
    placeholderData: (last: Schedule | undefined, of) =>
      of?.queryKey[1] === taken?.id ? last : undefined,
    staleTime: "static",
    gcTime: 0, // it has patients
    queryFn: async ({ signal }) => {
      const read: Schedule[] = [];
      for (const part of parts(taken?.bytes ?? new Uint8Array())) {
        const { data, error } = await fetch.POST("/eligibility/batches/schedule", {
          params: { query: { office_id: office } },
          // The generated type of a file is text; the request carries its bytes.
          body: part as unknown as string,
          bodySerializer: (b) => b as unknown as ArrayBuffer,
          headers: { "Content-Type": "text/csv" },
          signal,
        });
        if (error) throw error;
        read.push(data);
        if (data.faults.length > 0) break; // of the columns, which all parts have
      }
      const [first, ...more] = read;
      if (!first) throw new Error("A file has at least one part.");
      return joined(first, more);
    },
  });
}

/** useKeep returns a function that keeps what a column or a payer's name means, for every later file. */
function useKeep(done: () => void) {
  const toast = useToast();
  return useSend(
    async (fetch, key, { kept }: { kept: Kept; says: string }) => {
      const path = { kind: "schedule" as const };
      const now = await fetch.GET("/import_mappings/{kind}", { params: { path } });
      if (now.error) return now;
      return fetch.PUT("/import_mappings/{kind}", {
        params: { path, header: key },
        body: keeping(now.data, kept),
      });
    },
    {
      done: (_, { says }) => {
        done();
        toast.good(says, "Later files are read in the same way.");
      },
    },
  );
}

export function NewSchedule() {
  const { api } = useClient();
  const recent = useRecent();
  const offices = api.useQuery("get", "/offices", { params: { query: { limit: 100 } } });
  const list = offices.data?.data.filter((o) => !o.retired) ?? [];
  const [chosen, choose] = useState("");
  const office = chosen || (list.find((o) => o.id === recent.office) ?? list[0])?.id || "";
  const [taken, setTaken] = useState<Taken | null>(null);
  const revisions = useRef(0);
  const read = useRead(taken, office);
  const again = (change: Partial<Taken> = {}) => {
    const revision = ++revisions.current;
    setTaken((was) => was && { ...was, ...change, revision });
  };
  const keep = useKeep(() => again());
  const leaving = useLeaving(
    () => taken?.file !== undefined,
    "The corrections of the file are not saved.",
  );
  const s = read.data;
  const file = s && (taken?.file ?? fileOf(s));
  const byRow = s?.columns.some((c) => c.field === "office_id");
  return (
    <Page title="Verify a schedule" above={<Go to="/schedule">Schedule</Go>}>
      {offices.data && list.length === 0 && (
        <Notice
          tone="warn"
          title="There is no office yet."
          action={<ButtonLink to="/settings/offices">Offices</ButtonLink>}
        >
          The payers answer to an office. Add one first.
        </Notice>
      )}
      <Section>
        {list.length > 1 && !byRow && (
          <div className="fields">
            <SelectField
              label="Office"
              value={office}
              onChange={choose}
              options={list.map((o) => [o.id, o.name] as const)}
            />
          </div>
        )}
        <Take
          name={taken?.name}
          take={(name, bytes) => {
            const revision = ++revisions.current;
            setTaken({ id: revision, name, bytes, revision });
          }}
        />
        {s && (
          <Columns
            of={s}
            means={(name, field) =>
              keep.go({
                kept: { column: { name, field } },
                says: field
                  ? `The column ${name} is kept as: ${fields[field]}.`
                  : `The column ${name} is left out.`,
              })
            }
          />
        )}
      </Section>
      {taken && read.isPending && office && (
        <Section>
          <Loading rows={6} />
        </Section>
      )}
      {read.error && <Unread error={read.error} retry={() => void read.refetch()} />}
      {s && file && s.faults.length === 0 && (
        <>
          <Begin
            key={taken?.id}
            of={s}
            busy={read.isPlaceholderData || keep.isPending}
            office={office}
            leaves={leaving.mayLeave}
          />
          <Section flush title="Rows">
            <Rows
              key={taken?.id}
              schedule={s}
              file={file}
              change={(columns, row, texts) => {
                const next = texts.reduce(
                  (f, { at, text }) => corrected(f, columns, row, at, text),
                  file,
                );
                again({ bytes: new TextEncoder().encode(written(next)), file: next });
              }}
              means={(name, payer) =>
                keep.go({
                  kept: { payer: { name, payer_id: payer.payer_id } },
                  says: `“${name}” is kept as ${payer.name}.`,
                })
              }
            />
          </Section>
        </>
      )}
      {leaving.dialog}
    </Page>
  );
}

/** Take takes a file: dropped, chosen, or pasted as text. */
function Take({
  name,
  take,
}: {
  name: string | undefined; // of the file that is taken
  take: (name: string, bytes: ArrayBuffer | Uint8Array) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [text, setText] = useState("");
  const choose = async (file: File | globalThis.File | undefined) => {
    if (file instanceof globalThis.File) take(file.name, await file.arrayBuffer());
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same */}
      <div
        className={`schedule-drop${name ? " schedule-taken" : ""}${over ? " schedule-drop-over" : ""}`}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(e) => {
          e.preventDefault();
          setOver(false);
          void choose(e.dataTransfer.files[0]);
        }}
      >
        {name ? (
          <p className="strong wrap-anywhere">{name}</p>
        ) : (
          <p>
            Export the appointments of your practice software as a CSV file, and drop it here. Its
            first line names the columns, such as Patient, DOB, Insurance and Subscriber ID.
          </p>
        )}
        <Button
          icon={<FileUp size={16} aria-hidden />}
          look={name ? "plain" : "primary"}
          onClick={() => input.current?.click()}
        >
          {name ? "Choose another file" : "Choose a CSV file"}
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          hidden
          onChange={(e) => {
            void choose(e.target.files?.[0]);
            e.target.value = "";
          }}
        />
      </div>
      {!name && (
        <AreaField
          label="Or paste the rows"
          value={text}
          onChange={(v) => {
            setText(v);
            if (v.includes("\n")) take("Pasted rows", new TextEncoder().encode(v));
          }}
          hint="With the line that names the columns, as a spreadsheet copies them."
        />
      )}
    </>
  );
}

/** Unread says why a file cannot be read. */
function Unread({ error, retry }: { error: unknown; retry: () => void }) {
  if (!isAPIError(error) || error.errors.length === 0)
    return (
      <Section flush>
        <Failure error={error} retry={retry} />
      </Section>
    );
  return (
    <Notice tone="bad" title="The file cannot be read.">
      {error.errors.map((f) => (
        <p key={`${f.field} ${f.message}`}>{f.message}</p>
      ))}
    </Notice>
  );
}

type Item = Schemas["ScheduleItem"];

/** Begin asks the payers about the rows that have no faults. More than a batch may have are several batches. */
function Begin({
  of: s,
  busy,
  office,
  leaves,
}: {
  of: Schedule;
  busy: boolean;
  office: string;
  leaves: () => void;
}) {
  const go = useGo();
  const recent = useRecent();
  const items = s.rows.flatMap((r) => r.item ?? []);
  const [name, setName] = useState<string | null>(null);
  const called = name ?? nameOf(items);
  const [recheck, setRecheck] = useState("");
  const left = s.rows.length - items.length;
  const send = useSend(
    async (fetch, key, lists: Item[][]) => {
      let made: Schemas["EligibilityBatch"] | undefined;
      for (const [i, list] of lists.entries()) {
        const part = lists.length > 1 ? ` (${i + 1} of ${lists.length})` : "";
        const { data, error } = await fetch.POST("/eligibility/batches", {
          // Each list is a write of its own, which is repeated with its own key.
          params: { header: { "Idempotency-Key": `${key["Idempotency-Key"]}-${i}` } },
          body: { name: called + part, items: list, ...(recheck && { recheck }) },
        });
        if (error) return { error };
        made = data;
      }
      return { data: made };
    },
    {
      refused: (e) => isAPIError(e) && e.errors.length > 0,
      done: (batch, lists) => {
        leaves();
        recent.remember(null, office);
        go(batch && lists.length === 1 ? `/schedule/${batch.id}` : "/schedule", { arrives: true });
      },
    },
  );
  return (
    <Section>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          send.go(split(items));
        }}
      >
        <p role="status">
          {count(items.length, "patient")} can be asked about.
          {left > 0 &&
            ` ${count(left, "row")} ${plural(left, "needs", "need")} a correction, or ${plural(left, "is", "are")} left out.`}
        </p>
        <div className="fields fields-wide">
          <TextField label="Name" required value={called} onChange={setName} autoComplete="off" />
          <SelectField
            label="Check again before the appointment"
            value={recheck}
            onChange={setRecheck}
            options={[
              ["", "No"],
              ["PT2H", "2 hours before"],
              ["P1D", "1 day before"],
            ]}
          />
        </div>
        {isAPIError(send.error) && send.error.errors.length > 0 && (
          <Notice tone="bad" title="No payer can be asked.">
            {[...new Set(send.error.errors.map((f) => f.message))].slice(0, 5).map((message) => (
              <p key={message}>{message}</p>
            ))}
          </Notice>
        )}
        <div className="row">
          <Button
            type="submit"
            look="primary"
            className="schedule-begin"
            busy={busy || send.isPending}
            disabled={items.length === 0}
          >
            {send.isPending ? "Starting…" : `Ask about ${count(items.length, "patient")}`}
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** nameOf names a batch by the days of its appointments. */
function nameOf(items: readonly Item[]): string {
  const days = items.flatMap((i) => i.service_date ?? []).sort();
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return "Schedule";
  return first === last ? day(first) : `${day(first)} to ${day(last)}`;
}
