// What people wrote about a claim, a remittance or what else can have tasks.
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../api/client";
import type { paths } from "../api/schema";
import { useSend } from "../api/send";
import { useMay } from "../api/session";
import { Button } from "./button";
import { Changer } from "./changer";
import { Confirm, useLeaving } from "./dialog";
import { AreaField, FaultsOf } from "./form";
import { When } from "./format";
import { Read, Section } from "./page";
import { paged } from "./table";

type Note = Schemas["Note"];

/** Noted are the paths of the notes of a resource. An item of a batch of checks has an ID of its own. */
export type Noted = Extract<keyof paths, `/${string}/notes`>;

const maxNote = 2000;

/** useNotes reads the notes of a resource, the oldest first. */
export function useNotes(of: Noted, id: string, item_id = "") {
  const { api } = useClient();
  const list = api.useInfiniteQuery(
    "get",
    of,
    { params: { path: { id, item_id }, query: { limit: 50 } } },
    paged,
  );
  return { list, rows: list.data?.pages.flatMap((p) => p.data) ?? [] };
}

/** Notes lists the notes of a resource, the oldest first, with a field for another. */
export function Notes({ of, id, item }: { of: Noted; id: string; item?: string }) {
  return (
    <Section title="Notes" {...(item === undefined && { id: "notes" })}>
      <NoteList of={of} id={id} item={item} />
    </Section>
  );
}

/** NoteList is Notes where the page around it has a title. */
export function NoteList({
  of,
  id,
  item,
  added,
}: {
  of: Noted;
  id: string;
  item: string | undefined;
  added?: () => void; // when another one is saved
}) {
  const may = useMay();
  const { list, rows } = useNotes(of, id, item);
  return (
    <>
      <Read of={list} rows={2}>
        {() =>
          rows.length === 0 ? (
            <p className="muted">No notes.</p>
          ) : (
            <ol className="plain stack-s">
              {rows.map((n) => (
                <li key={n.id}>
                  <One note={n} />
                </li>
              ))}
            </ol>
          )
        }
      </Read>
      {list.hasNextPage && (
        <Button
          look="quiet"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more notes
        </Button>
      )}
      {may.write && <Add key={id} of={of} id={id} item={item} added={added} />}
    </>
  );
}

/** One is a note. One that is struck stays readable, with who struck it and why. */
function One({ note: n }: { note: Note }) {
  const may = useMay();
  const strike = useSend(
    (api, key, reason: string) =>
      api.POST("/notes/{id}/strike", {
        params: { path: { id: n.id }, header: key },
        body: { reason },
      }),
    { says: "The note is struck." },
  );
  return (
    <>
      <p className="words">{n.struck ? <s>{n.text}</s> : n.text}</p>
      <div className="muted small spread">
        <span>
          <Changer by={n.by} /> · <When value={n.at} full />
        </span>
        {!n.struck && may.write && (
          <Confirm
            title="Strike the note?"
            action="Strike the note"
            danger
            note="Why it is struck"
            noteRequired
            busy={strike.isPending}
            onConfirm={(reason) => strike.go(reason)}
            trigger={(ask) => (
              <button type="button" className="link-button no-print" onClick={ask}>
                Strike
              </button>
            )}
          >
            <p>
              The note stays on the page, struck through, with your reason. This cannot be taken
              back.
            </p>
          </Confirm>
        )}
      </div>
      {n.struck && (
        <p className="small">
          Struck by <Changer by={n.struck.by} />, <When value={n.struck.at} full />:{" "}
          <bdi className="wrap-anywhere">{n.struck.reason}</bdi>
        </p>
      )}
    </>
  );
}

/** Add is the field for another note. What is typed stays until it is saved. */
function Add({
  of,
  id,
  item,
  added,
}: {
  of: Noted;
  id: string;
  item: string | undefined;
  added: (() => void) | undefined;
}) {
  const [text, setText] = useState("");
  const add = useSend(
    (api, key, words: string) =>
      api.POST(of, {
        params: { path: { id, item_id: item ?? "" }, header: key },
        body: { text: words },
      }),
    {
      says: "The note is added.",
      refused: (e) => e.errors.length > 0,
      done: (_, sent) => {
        setText((now) => (now === sent ? "" : now));
        added?.();
      },
    },
  );
  const leaving = useLeaving(() => text.trim() !== "", "Your note is not saved.");
  const used = [...text].length;
  const refusal = isAPIError(add.error) ? add.error.errors : [];
  return (
    <form
      className="stack-s no-print"
      onSubmit={(e) => {
        e.preventDefault();
        if (text.trim()) add.go(text);
      }}
    >
      <FaultsOf list={refusal} request={{ text }}>
        <AreaField
          label="New note"
          path="text"
          value={text}
          onChange={setText}
          rows={2}
          data-note
          hint={
            used > maxNote && (
              <span className="fault">
                A note has at most {maxNote.toLocaleString("en-US")} characters. Write two notes.
              </span>
            )
          }
        />
      </FaultsOf>
      <div className="row">
        <Button type="submit" busy={add.isPending} disabled={!text.trim() || used > maxNote}>
          Add the note
        </Button>
      </div>
      {leaving.dialog}
    </form>
  );
}
