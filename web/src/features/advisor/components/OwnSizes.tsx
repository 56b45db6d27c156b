/** Sizes of one's own: pasted, or from a file that is chosen or dropped. They are read here and refused here. */
import { type DragEvent, type FormEvent, useId, useState } from "react";
import { formatBytes } from "@/lib/units";
import { type Bucket, FILE_BYTES_MAX, readSizes } from "../sizes";

type Props = {
  /** What the advice is about now, as text. */
  text: string;
  onUse: (buckets: Bucket[]) => void;
  onClose: () => void;
};

export function OwnSizes({ text, onUse, onClose }: Props) {
  const id = useId();
  const [typed, setTyped] = useState(text);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const take = (content: string) => {
    const read = readSizes(content);
    if ("refusal" in read) setRefusal(read.refusal);
    else onUse(read.buckets);
  };
  const readFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > FILE_BYTES_MAX) {
      setRefusal(
        `${file.name} has ${formatBytes(file.size)}: expected at most ${formatBytes(FILE_BYTES_MAX)}.`,
      );
      return;
    }
    take(await file.text());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    take(typed);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void readFile(event.dataTransfer.files[0]);
  };
  return (
    <form
      className="own-sizes"
      aria-label="Sizes of your own"
      data-over={isOver ? "" : undefined}
      onSubmit={submit}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label htmlFor={id}>Sizes of your own messages</label>
      <textarea
        id={id}
        rows={4}
        value={typed}
        spellCheck={false}
        aria-describedby={`${id}-note`}
        aria-invalid={refusal !== null || undefined}
        onChange={({ target }) => {
          setTyped(target.value);
          setRefusal(null);
        }}
      />
      <p id={`${id}-note`} className="muted">
        Buckets with how many messages, <code>12-15:4387,64:3</code>; rows of{" "}
        <code>bucket_min_bytes,count</code>, the last with where the one before it ends and no messages; or a
        size in bytes a line. A file of any of these can be dropped here. It is read in this browser; the
        server gets the buckets.
      </p>
      {refusal !== null && (
        <p className="warning" role="alert">
          {refusal}
        </p>
      )}
      <div className="controls">
        <button type="submit" className="button">
          Use these
        </button>
        <label className="button">
          Choose a file
          <input
            type="file"
            className="visually-hidden"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={({ target }) => void readFile(target.files?.[0])}
          />
        </label>
        <button type="button" className="text-button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  );
}
