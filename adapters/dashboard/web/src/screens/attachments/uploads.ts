// The images that are chosen and not stored yet: what they show, how they are
// turned, and how far their upload is.
import { useRef, useState } from "react";
import { isAPIError, newKey, type Schemas, useClient } from "../../api/client";
import { uploadDocument } from "../../api/upload";
import type { Fault } from "../../ui/form";
import { type Found, inspect, turn } from "./image";

/** Chosen is an image that a person chose. */
export type Chosen = {
  id: string;
  file: File;
  found?: Found; // absent if the file cannot be sent
  turns: number; // clockwise, in quarters of a circle
  kind: string; // the code of its document type
  date: string;
  side: string; // of the patient, at the left edge of the image
  state: "ready" | "sending" | "away";
  share: number; // of the file, that is sent
  faults: Fault[];
  request?: string; // that the service refused
};

/** useTypes returns the document types. */
export function useTypes(): Schemas["DocumentType"][] {
  const { api } = useClient();
  return api.useQuery("get", "/document_types", {}, { staleTime: Infinity }).data?.data ?? [];
}

/** Uploads are the chosen images, and what a person can do with them. */
export type Uploads = ReturnType<typeof useUploads>;

/** failure returns what a refused or failed upload says, at its fields. */
export function failure(e: unknown): Pick<Chosen, "faults" | "request"> {
  if (!isAPIError(e)) {
    const message = e instanceof Error ? e.message : "This image could not be sent.";
    return { faults: [{ field: "file", message }], request: undefined };
  }
  const faults = e.errors.map(({ field, message }) => ({ field, message }));
  return {
    faults: faults.length > 0 ? faults : [{ field: "file", message: e.message }],
    request: e.request_id,
  };
}

/** useUploads holds chosen images, and uploads them into the attachment that into returns, one after the
 *  other, so that they keep their order. */
export function useUploads(into: () => Promise<Schemas["Attachment"]>) {
  const client = useClient();
  const types = useTypes();
  const [all, setAll] = useState<Chosen[]>([]);
  const latest = useRef(all);
  latest.current = all;
  const stops = useRef(new Map<string, AbortController>());
  const put = (id: string, change: Partial<Chosen>) =>
    setAll((list) => list.map((c) => (c.id === id ? { ...c, ...change } : c)));
  const isFilm = (kind: string) => types.find((t) => t.code === kind)?.medium === "film";

  /** add takes files; each begins with what the one before it shows. */
  const add = async (files: Iterable<File>) => {
    const like = latest.current.at(-1);
    const added = await Promise.all(
      [...files].map(async (file): Promise<Chosen> => {
        const found = await inspect(file);
        const fields = {
          kind: like?.kind ?? "",
          date: like?.date ?? "",
          side: like?.side ?? "right",
        };
        const rest = { id: newKey(), file, turns: 0, state: "ready", share: 0, ...fields } as const;
        return typeof found === "string"
          ? { ...rest, faults: [{ field: "file", message: found }] }
          : { ...rest, found, faults: [] };
      }),
    );
    setAll((list) => [...list, ...added]);
  };

  const drop = (id: string) => {
    stops.current.get(id)?.abort(new DOMException("The image is left out.", "AbortError"));
    setAll((list) => list.filter((c) => c.id !== id));
  };

  const change = (id: string, what: Partial<Pick<Chosen, "turns" | "kind" | "date" | "side">>) => {
    const said = latest.current.find((c) => c.id === id);
    const fields: Record<string, string> = {
      kind: "document_type",
      date: "image_date",
      side: "orientation",
      turns: "file",
    };
    put(id, {
      ...what,
      faults:
        said?.faults.filter((f) => !Object.keys(what).some((k) => fields[k] === f.field)) ?? [],
    });
  };

  const send = async (c: Chosen, found: Found, to: string) => {
    const stop = new AbortController();
    stops.current.set(c.id, stop);
    try {
      const file =
        c.turns > 0 || found.leans
          ? await turn(c.file, found.type, c.turns).catch(() => null)
          : c.file;
      if (!file)
        throw new Error(
          "This browser cannot turn an image of this size. Turn it with another program, and choose it again.",
        );
      const form = new FormData();
      form.append("file", file);
      form.append("document_type", c.kind);
      if (isFilm(c.kind)) {
        form.append("image_date", c.date);
        form.append("orientation", c.side);
      }
      await uploadDocument(
        client,
        to,
        newKey(),
        form,
        (share) =>
          put(c.id, share === null ? { state: "away", share: 0 } : { state: "sending", share }),
        stop.signal,
      );
      await client.queries.invalidateQueries({
        predicate: (q) => /^\/(attachments|claims|payer_requests)/.test(String(q.queryKey[1])),
      });
      setAll((list) => list.filter((one) => one.id !== c.id));
    } catch (e) {
      if (stop.signal.aborted) return;
      put(c.id, { state: "ready", share: 0, ...failure(e) });
    } finally {
      stops.current.delete(c.id);
    }
  };

  /** upload sends all that can be sent, and says at each other one what is missing. */
  const upload = async () => {
    const waiting: Chosen[] = [];
    for (const c of latest.current.filter((one) => one.found && one.state === "ready")) {
      const faults: Fault[] = [];
      if (!c.kind) faults.push({ field: "document_type", message: "Choose what the image shows." });
      if (isFilm(c.kind) && !c.date)
        faults.push({ field: "image_date", message: "Enter the day it was taken." });
      if (faults.length > 0) put(c.id, { faults });
      else waiting.push(c);
    }
    if (waiting.length === 0) return;
    for (const c of waiting)
      put(c.id, { state: "sending", share: 0, faults: [], request: undefined });
    let to: string;
    try {
      to = (await into()).id;
    } catch (e) {
      // The form shows the errors of fields; here stands the refusal itself.
      const refusal = isAPIError(e) ? { ...e, errors: [] } : e;
      for (const c of waiting) put(c.id, { state: "ready", ...failure(refusal) });
      return;
    }
    for (const c of waiting) {
      if (c.found && latest.current.some((one) => one.id === c.id)) await send(c, c.found, to);
    }
  };

  return { all, add, drop, change, upload, sending: all.some((c) => c.state !== "ready"), isFilm };
}
