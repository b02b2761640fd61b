// The file of a fee schedule, as far as the page shows it.

/** textOf returns the text of a file in UTF-8 or Windows-1252, as the service reads it. */
export function textOf(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** LineFault is what is wrong with a line of a file. */
export type LineFault = { line: number; column: number; text: string; message: string };

/** faultsByLine returns the faults of a file's lines, such as of csv.3.2, with the text of each line. */
export function faultsByLine(
  faults: readonly { field?: string | null; message: string }[],
  text: string,
): LineFault[] {
  const lines = text.split(/\r\n|\n/);
  return faults.flatMap((f) => {
    const at = /^csv\.(\d+)\.(\d+)$/.exec(f.field ?? "");
    if (!at) return [];
    const [line, column] = [Number(at[1]), Number(at[2])];
    const message = f.message.replace(/^Line \d+(, column \d+)?: /, "");
    return [{ line, column, text: lines[line - 1] ?? "", message: capital(message) }];
  });
}

/** capital returns a sentence with its first letter in upper case. */
const capital = (s: string) => s.slice(0, 1).toUpperCase() + s.slice(1);
