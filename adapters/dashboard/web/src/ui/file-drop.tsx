// A place to drop a file, with a button that chooses one.
import { useRef, useState } from "react";
import { Button } from "./button";
import { Notice } from "./page";

/** FileDrop takes one file of at most some megabytes, and says when one is larger. */
export function FileDrop({
  says,
  again,
  busy,
  most,
  tooLarge,
  onFile,
}: {
  says: string;
  again: boolean; // a file was taken before
  busy: boolean;
  most: number; // megabytes
  tooLarge: React.ReactNode; // what to do about a larger file
  onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [large, setLarge] = useState(false);
  const take = (file: File | undefined) => {
    if (!file) return;
    const fits = file.size <= most * 1024 * 1024;
    setLarge(!fits);
    if (fits) onFile(file);
  };
  const choose = again ? "Choose another file" : "Choose a file";
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same */}
      <div
        className={`file-drop${over ? " file-drop-over" : ""}`}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(e) => {
          e.preventDefault();
          setOver(false);
          take(e.dataTransfer.files[0]);
        }}
      >
        <p>{says}</p>
        <Button busy={busy} onClick={() => input.current?.click()}>
          {busy ? "Importing…" : choose}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          onChange={(e) => {
            take(e.target.files?.[0]);
            e.target.value = "";
          }}
        />
      </div>
      <div role="status">
        {large && (
          <Notice tone="bad" title={`The file is larger than ${most} MB`}>
            {tooLarge}
          </Notice>
        )}
      </div>
    </>
  );
}
