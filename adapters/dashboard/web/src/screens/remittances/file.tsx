// The 835 as the payer sent it: to read, segment by segment, and to keep.
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useClient } from "../../api/client";
import { type File, fetchFile, save } from "../../api/file";
import { Button } from "../../ui/button";
import { Modal } from "../../ui/dialog";
import { printable } from "../../ui/format";
import { Read } from "../../ui/page";

type Segmented = File & { text: string };

/** segments returns the parts of an interchange. The last character of its ISA ends each part. */
function segments(text: string): string[] {
  const end = text.startsWith("ISA") ? text.charAt(105) : "~";
  return text
    .split(end)
    .map((s) => s.trim())
    .filter(Boolean);
}

const shown = 5_000;

/** RawFile shows the 835 with the numbers of its segments, which findings name. */
export function RawFile({
  id,
  open,
  onOpenChange,
}: {
  id: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const client = useClient();
  const file = useQuery({
    queryKey: ["get", "/eras/{id}/file", id],
    enabled: open,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Segmented> => {
      const file = await fetchFile(client, `/eras/${id}/file`, undefined, signal);
      return { ...file, text: await file.blob.text() };
    },
  });
  return (
    <Modal title="The 835 file" open={open} onOpenChange={onOpenChange} wide>
      <Read of={file} rows={6}>
        {(of) => <Segments of={of} />}
      </Read>
    </Modal>
  );
}

function Segments({ of: file }: { of: Segmented }) {
  const parts = segments(file.text);
  return (
    <div className="stack">
      <div className="spread">
        <code className="wrap-anywhere">{file.name}</code>
        <Button icon={<Download size={16} aria-hidden />} onClick={() => save(file)}>
          Download
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused box scrolls by the arrow keys */}
      <ol className="segments" tabIndex={0} aria-label="Segments">
        {parts.slice(0, shown).map((s, i) => (
          <li key={i}>
            <code>{printable(s)}</code>
          </li>
        ))}
      </ol>
      {parts.length > shown && (
        <p className="muted">
          The first {shown.toLocaleString("en-US")} of {parts.length.toLocaleString("en-US")}{" "}
          segments. Download the file to see the rest.
        </p>
      )}
    </div>
  );
}
