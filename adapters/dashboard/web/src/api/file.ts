// Files that the service makes: to show, and to keep.
import { type APIError, type Client, headers, root, Unreachable } from "./client";

export type File = { name: string; blob: Blob };

const gone = new Unreachable("Molar does not reply. Check the connection and try again.");

/** fetchFile returns a file of the service, whose name it says. */
export async function fetchFile(
  client: Client,
  path: string,
  accept = "*/*",
  signal?: AbortSignal,
): Promise<File> {
  const reply = await fetch(`${root}${path}`, {
    headers: { ...headers(client.mode), Accept: accept },
    signal,
  }).catch(() => {
    throw gone;
  });
  if (!reply.ok) throw (await reply.json()) as APIError;
  const blob = await reply.blob().catch(() => {
    throw gone; // it was cut
  });
  const name = /filename="([A-Za-z0-9._-]+)"/.exec(
    reply.headers.get("Content-Disposition") ?? "",
  )?.[1];
  return { name: name ?? "file", blob };
}

/** save puts a file into the person's downloads. */
export function save(file: File): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(file.blob);
  a.download = file.name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
