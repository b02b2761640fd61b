// The documents of an attachment: those that are stored, and a place to add more.
import { ImageOff, ImagePlus, RotateCcw, RotateCw, Trash2, Upload, X } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import type { Schemas } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { Confirm } from "../../ui/dialog";
import { DateField, FaultsOf, SelectField } from "../../ui/form";
import { Day, printable, useToday } from "../../ui/format";
import { Empty, Section } from "../../ui/page";
import { count } from "../../ui/plural";
import { maxBytes, size } from "./image";
import { type Document, Thumbnail, useBlobURL, Viewer } from "./picture";
import { type Chosen, type Uploads, useTypes } from "./uploads";
import "./attachments.css";

type Attachment = Schemas["Attachment"];

const side = (o: string) =>
  o === "left" ? "Patient's left on the left" : "Patient's right on the left";

/** Documents shows the images of an attachment, which may not exist yet. With uploads, a person can
 *  choose more, and remove those that are not sent. */
export function Documents({
  attachment,
  uploads,
}: {
  attachment: Attachment | null;
  uploads?: Uploads;
}) {
  const types = useTypes();
  const [viewed, setViewed] = useState<string | null>(null);
  const documents = attachment?.documents ?? [];
  const name = (d: Document) => types.find((t) => t.code === d.document_type)?.label ?? "Document";
  const used = documents.reduce((n, d) => n + d.size, 0);
  return (
    <Section
      title="Images"
      actions={
        uploads &&
        documents.length > 0 && (
          <span className="muted small numbers">
            {size(used)} of {size(maxBytes)}
          </span>
        )
      }
    >
      {documents.length > 0 && attachment && (
        <ul className="plain pictures" aria-label="Images">
          {documents.map((d) => (
            <li key={d.id} className="picture">
              <button
                type="button"
                className="picture-open"
                onClick={() => setViewed(d.id)}
                aria-label={`View ${name(d)}, ${printable(d.file_name)}`}
              >
                <Thumbnail attachment={attachment.id} document={d} />
              </button>
              <div className="picture-text">
                <p className="strong">{name(d)}</p>
                {d.image_date && (
                  <p className="small">
                    <Day value={d.image_date} />
                  </p>
                )}
                {d.orientation && <p className="small">{side(d.orientation)}</p>}
                <p className="small muted wrap-anywhere">
                  {printable(d.file_name)} · <span className="nowrap numbers">{size(d.size)}</span>
                </p>
              </div>
              {uploads && <Remove attachment={attachment.id} document={d} name={name(d)} />}
            </li>
          ))}
        </ul>
      )}
      {documents.length === 0 && !uploads && (
        <Empty title="No images">The narrative was sent alone.</Empty>
      )}
      {uploads && <Adding uploads={uploads} types={types} first={documents.length === 0} />}
      {attachment && (
        <Viewer
          attachment={attachment.id}
          documents={documents}
          name={name}
          at={viewed}
          onChange={setViewed}
        />
      )}
    </Section>
  );
}

function Remove({
  attachment,
  document: d,
  name,
}: {
  attachment: string;
  document: Document;
  name: string;
}) {
  const remove = useSend(
    (api, key) =>
      api.DELETE("/attachments/{id}/documents/{doc_id}", {
        params: { path: { id: attachment, doc_id: d.id }, header: key },
      }),
    { says: "The image is removed." },
  );
  return (
    <Confirm
      title="Remove this image?"
      action="Remove"
      danger
      busy={remove.isPending}
      onConfirm={() => remove.go()}
      trigger={(open) => (
        <button
          type="button"
          className="icon-button picture-remove no-print"
          aria-label={`Remove ${name}, ${printable(d.file_name)}`}
          onClick={open}
          disabled={remove.isPending}
        >
          <Trash2 size={16} aria-hidden />
        </button>
      )}
    >
      <p className="wrap-anywhere">
        {name}, {printable(d.file_name)}. Molar deletes it for good; the file on this device stays.
      </p>
    </Confirm>
  );
}

/** Adding is the place to drop images, and the list of those that are chosen. */
function Adding({
  uploads,
  types,
  first,
}: {
  uploads: Uploads;
  types: Schemas["DocumentType"][];
  first: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const waiting = uploads.all.length;
  const ready = uploads.all.filter((c) => c.found && c.state === "ready").length;
  const drop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    void uploads.add(e.dataTransfer.files);
  };
  return (
    <div className="stack">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same */}
      <div
        className={`drop${over ? " drop-over" : ""}${first && waiting === 0 ? " drop-first" : ""}`}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <ImagePlus size={24} aria-hidden />
        <p>
          <span className="no-phone">Drop X-rays, photos and charts here.</span>
          <span className="sub">JPEG or PNG, at most 15 MB together</span>
        </p>
        <Button onClick={() => input.current?.click()}>Choose images</Button>
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept="image/jpeg,image/png,.jpg,.jpeg,.png"
          onChange={(e) => {
            void uploads.add([...(e.target.files ?? [])]);
            e.target.value = ""; // the same file may be chosen again
          }}
        />
      </div>
      {waiting > 0 && (
        <>
          <ul className="plain stack-s" aria-label="Chosen images">
            {uploads.all.map((c, i) => (
              <Item
                key={c.id}
                chosen={c}
                number={i + 1}
                types={types}
                film={uploads.isFilm(c.kind)}
                change={(what) => uploads.change(c.id, what)}
                drop={() => uploads.drop(c.id)}
              />
            ))}
          </ul>
          {(ready > 0 || uploads.sending) && (
            <div className="spread">
              <p className="hint">
                {uploads.all.some((c) => c.turns > 0 && c.found?.type === "image/jpeg") &&
                  "A turned JPEG is compressed once more, at high quality."}
              </p>
              <Button
                look="primary"
                icon={<Upload size={16} aria-hidden />}
                busy={uploads.sending}
                onClick={() => void uploads.upload()}
              >
                {uploads.sending ? "Uploading…" : `Upload ${count(ready, "image")}`}
              </Button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

/** progress says how far the upload of an image is. */
function progress(c: Chosen): string {
  if (c.state === "away") return "No connection. The upload continues automatically.";
  return c.share < 1 ? `${Math.round(c.share * 100)}%` : "Checking the image…";
}

/** Item is one chosen image, with what it shows. */
function Item({
  chosen: c,
  number,
  types,
  film,
  change,
  drop,
}: {
  chosen: Chosen;
  number: number;
  types: Schemas["DocumentType"][];
  film: boolean;
  change: (what: Partial<Pick<Chosen, "turns" | "kind" | "date" | "side">>) => void;
  drop: () => void;
}) {
  const url = useBlobURL(c.found ? c.file : undefined);
  const [unseen, setUnseen] = useState(false);
  const name = printable(c.file.name);
  const busy = c.state !== "ready";
  const fileFaults = c.faults.filter(
    (f) => !["document_type", "image_date", "orientation"].includes(f.field ?? ""),
  );
  const today = useToday();
  return (
    <li
      className={`chosen${fileFaults.length > 0 ? " chosen-wrong" : ""}${c.found ? "" : " chosen-bare"}`}
    >
      {c.found && (
        <div className="chosen-picture">
          {unseen && (
            <span className="picture-none">
              <ImageOff size={24} aria-hidden />
              No preview
            </span>
          )}
          {!unseen && url && (
            <img src={url} alt="" className={`turned-${c.turns}`} onError={() => setUnseen(true)} />
          )}
          {!busy && !unseen && (
            <div className="chosen-turn">
              <Button
                look="quiet"
                aria-label={`Turn image ${number} left`}
                title="Turn left"
                icon={<RotateCcw size={16} aria-hidden />}
                onClick={() => change({ turns: (c.turns + 3) % 4 })}
              />
              <Button
                look="quiet"
                aria-label={`Turn image ${number} right`}
                title="Turn right"
                icon={<RotateCw size={16} aria-hidden />}
                onClick={() => change({ turns: (c.turns + 1) % 4 })}
              />
            </div>
          )}
        </div>
      )}
      <div className="stack-s chosen-about">
        <div className="chosen-name">
          <p className="wrap-anywhere">
            <strong>{name}</strong>{" "}
            <span className="muted small nowrap numbers">{size(c.file.size)}</span>
          </p>
          <button
            type="button"
            className="icon-button"
            aria-label={`Leave out ${name}`}
            onClick={drop}
          >
            <X size={16} aria-hidden />
          </button>
        </div>
        {fileFaults.length > 0 && (
          <div className="fault" role="alert">
            {fileFaults.map((f) => (
              <p key={f.message}>{f.message}</p>
            ))}
            {c.request && (
              <p className="muted">
                Request <code>{c.request}</code>
              </p>
            )}
          </div>
        )}
        {c.found && (
          <FaultsOf
            list={c.faults}
            request={{ document_type: c.kind, image_date: c.date, orientation: c.side }}
          >
            <div className="fields">
              <SelectField
                label="What it shows"
                path="document_type"
                value={c.kind}
                disabled={busy}
                onChange={(kind) => change({ kind })}
                options={[
                  ["", "Choose"],
                  ...[...types]
                    .sort((a, b) => Number(b.medium === "film") - Number(a.medium === "film"))
                    .map((t) => [t.code, t.label] as const),
                ]}
              />
              {film && (
                <DateField
                  label="Taken on"
                  path="image_date"
                  value={c.date}
                  max={today}
                  disabled={busy}
                  onChange={(date) => change({ date })}
                />
              )}
              {film && (
                <SelectField
                  label="Left edge shows"
                  path="orientation"
                  value={c.side}
                  disabled={busy}
                  onChange={(s) => change({ side: s })}
                  options={[
                    ["right", "Patient's right"],
                    ["left", "Patient's left"],
                  ]}
                />
              )}
            </div>
          </FaultsOf>
        )}
        {busy && (
          <div className="stack-s">
            <progress
              className="upload-progress"
              max={1}
              value={c.state === "away" ? undefined : c.share}
              aria-label={`Upload of ${name}`}
            />
            <p className="small muted" role="status">
              {progress(c)}
            </p>
          </div>
        )}
      </div>
    </li>
  );
}
