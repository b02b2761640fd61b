// Pictures of the service, and the viewer: they need the headers of the session,
// so they are fetched and shown from memory.
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, ImageOff, Maximize, ZoomIn, ZoomOut } from "lucide-react";
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { type Schemas, useClient } from "../../api/client";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { Failure, Loading } from "../../ui/page";

export type Document = Schemas["AttachmentDocument"];

/** usePicture loads a stored image, whole or small. It never changes, so it loads once. */
function usePicture(attachment: string, document: string, part: "thumbnail" | "content") {
  const { fetch } = useClient();
  const picture = useQuery({
    queryKey: ["picture", document, part],
    staleTime: "static",
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data, error } = await fetch.GET(`/attachments/{id}/documents/{doc_id}/${part}`, {
        params: { path: { id: attachment, doc_id: document } },
        parseAs: "blob",
        signal,
      });
      if (error) throw error;
      return data as unknown as Blob;
    },
  });
  return { ...picture, url: useBlobURL(picture.data) };
}

/** useBlobURL returns an address of an image in memory, for as long as it is shown. */
export function useBlobURL(blob: Blob | undefined): string | undefined {
  const [url, setURL] = useState<string>();
  // The browser keeps the image until its address is revoked.
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setURL(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

/** Thumbnail shows a document small. */
export function Thumbnail({ attachment, document }: { attachment: string; document: Document }) {
  const { url, error } = usePicture(attachment, document.id, "thumbnail");
  if (error)
    return (
      <span className="picture-none">
        <ImageOff size={24} aria-hidden />
        No picture
      </span>
    );
  return url ? <img src={url} alt="" draggable={false} /> : <span className="bone picture-bone" />;
}

/** Viewer shows the documents of an attachment, one at a time. */
export function Viewer({
  attachment,
  documents,
  name,
  at,
  onChange,
}: {
  attachment: string;
  documents: Document[];
  name: (d: Document) => string;
  at: string | null;
  onChange: (at: string | null) => void;
}) {
  const i = documents.findIndex((d) => d.id === at);
  const document = documents[i];
  return (
    <Modal
      title={document ? name(document) : ""}
      open={Boolean(document)}
      onOpenChange={(open) => {
        if (!open) onChange(null);
      }}
      wide
    >
      {document && (
        <Stage
          key={document.id}
          attachment={attachment}
          document={document}
          name={name(document)}
          before={documents[i - 1]}
          after={documents[i + 1]}
          onChange={onChange}
          many={documents.length > 1}
          place={`${i + 1} of ${documents.length}`}
        />
      )}
    </Modal>
  );
}

const steps = [1, 1.5, 2, 3, 4, 6, 8];

/** Stage shows one image. Scrolling moves a larger one, and so do the arrow keys and dragging. */
function Stage({
  attachment,
  document,
  name,
  before,
  after,
  onChange,
  many,
  place,
}: {
  attachment: string;
  document: Document;
  name: string;
  before?: Document;
  after?: Document;
  onChange: (at: string) => void;
  many: boolean;
  place: string;
}) {
  const picture = usePicture(attachment, document.id, "content");
  const [zoom, setZoom] = useState(1);
  const stage = useRef<HTMLDivElement>(null);
  const grip = useRef<{ x: number; y: number; left: number; top: number } | null>(null);

  /** to changes the size around a point of the stage: the middle, or where the pointer is. */
  const to = (next: number, x?: number, y?: number) => {
    const box = stage.current;
    if (!box || next === zoom) return;
    const px = x ?? box.clientWidth / 2;
    const py = y ?? box.clientHeight / 2;
    const left = (box.scrollLeft + px) / box.scrollWidth;
    const top = (box.scrollTop + py) / box.scrollHeight;
    setZoom(next);
    requestAnimationFrame(() => {
      box.scrollLeft = left * box.scrollWidth - px;
      box.scrollTop = top * box.scrollHeight - py;
    });
  };
  const nearer = (x?: number, y?: number) => to(steps.find((s) => s > zoom) ?? zoom, x, y);
  const farther = (x?: number, y?: number) => to(steps.findLast((s) => s < zoom) ?? zoom, x, y);
  const keys = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const act: Record<string, (() => void) | undefined> = {
      "+": () => nearer(),
      "=": () => nearer(),
      "-": () => farther(),
      "0": () => to(1),
      PageUp: before && (() => onChange(before.id)),
      PageDown: after && (() => onChange(after.id)),
      ...(zoom === 1 && {
        ArrowLeft: before && (() => onChange(before.id)),
        ArrowRight: after && (() => onChange(after.id)),
      }),
    };
    const turn = act[e.key];
    if (!turn) return;
    e.preventDefault();
    turn();
  };
  // React listens to the wheel passively, and the page would scroll too.
  const wheel = useRef<(e: WheelEvent, box: HTMLElement) => void>(undefined);
  wheel.current = (e, box) => {
    e.preventDefault();
    const r = box.getBoundingClientRect();
    (e.deltaY < 0 ? nearer : farther)(e.clientX - r.left, e.clientY - r.top);
  };
  const ready = Boolean(picture.url);
  const appear = useCallback((box: HTMLDivElement) => {
    stage.current = box;
    const turn = (e: WheelEvent) => wheel.current?.(e, box);
    box.addEventListener("wheel", turn, { passive: false });
    box.focus({ preventScroll: true });
    return () => {
      box.removeEventListener("wheel", turn);
      stage.current = null;
    };
  }, []);
  const drag = (e: PointerEvent<HTMLDivElement>) => {
    if (e.pointerType !== "mouse" || e.button !== 0) return; // a finger scrolls by itself
    const box = e.currentTarget;
    box.setPointerCapture(e.pointerId);
    grip.current = { x: e.clientX, y: e.clientY, left: box.scrollLeft, top: box.scrollTop };
  };
  const move = (e: PointerEvent<HTMLDivElement>) => {
    if (!grip.current) return;
    e.currentTarget.scrollLeft = grip.current.left - (e.clientX - grip.current.x);
    e.currentTarget.scrollTop = grip.current.top - (e.clientY - grip.current.y);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the image and buttons in it
    <div className="stack-s viewer" onKeyDown={keys}>
      <div className="spread">
        <div className="row">
          <Button
            icon={<ZoomOut size={16} aria-hidden />}
            aria-label="Smaller"
            disabled={!ready || zoom === steps[0]}
            onClick={() => farther()}
          />
          <span className="numbers viewer-zoom" role="status">
            {Math.round(zoom * 100)}%
          </span>
          <Button
            icon={<ZoomIn size={16} aria-hidden />}
            aria-label="Larger"
            disabled={!ready || zoom === steps.at(-1)}
            onClick={() => nearer()}
          />
          <Button
            look="quiet"
            icon={<Maximize size={16} aria-hidden />}
            disabled={!ready || zoom === 1}
            onClick={() => to(1)}
          >
            Fit
          </Button>
        </div>
        {many && (
          <div className="row">
            <Button
              icon={<ChevronLeft size={16} aria-hidden />}
              aria-label="Previous image"
              disabled={!before}
              onClick={() => before && onChange(before.id)}
            />
            <span className="numbers">{place}</span>
            <Button
              icon={<ChevronRight size={16} aria-hidden />}
              aria-label="Next image"
              disabled={!after}
              onClick={() => after && onChange(after.id)}
            />
          </div>
        )}
      </div>
      {picture.error && !picture.data && (
        <Failure error={picture.error} retry={() => void picture.refetch()} />
      )}
      {!picture.url && (picture.data || !picture.error) && <Loading rows={1} height="20rem" />}
      {picture.url && (
        <div
          ref={appear}
          className={`viewer-stage${zoom > 1 ? " viewer-large" : ""}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused box scrolls by the arrow keys
          tabIndex={0}
          role="group"
          aria-label="Image. Plus and minus change its size, arrow keys move it."
          onPointerDown={drag}
          onPointerMove={move}
          onPointerUp={() => {
            grip.current = null;
          }}
          onPointerCancel={() => {
            grip.current = null;
          }}
          onDoubleClick={(e) => {
            const r = e.currentTarget.getBoundingClientRect();
            to(zoom === 1 ? 3 : 1, e.clientX - r.left, e.clientY - r.top);
          }}
        >
          <div
            className="viewer-room"
            style={{ width: `${zoom * 100}%`, height: `${zoom * 100}%` }}
          >
            <img src={picture.url} alt={name} draggable={false} />
          </div>
        </div>
      )}
      <p className="hint no-phone">
        Double-click or use the wheel to zoom, drag to move. Keys: + and −, arrows, 0 for the whole
        image.
      </p>
    </div>
  );
}
