/** The message sizes as adjustable bars, with profile, scale and reset. */
import { type DragEvent, type FormEvent, useId, useState } from "react";
import type { AdviceGroup, SizeProfile } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DraggedBarsChart } from "@/components/chart/DraggedBarsChart";
import type { CrossingMark } from "@/components/chart/plottables/Crossings";
import { barsTable } from "@/components/chart/SizeHistogramChart";
import { Button, SelectField, TextButton } from "@/components/ui/controls";
import { barsOf } from "@/lib/statistics";
import { formatBytes } from "@/lib/units";
import { messagesText, nameAt, STEPS, stepOf, timesText } from "./data";
import { type AdvisorChange, type AdvisorSearch, draggedText, type Start, withDragged } from "./search";
import { type Bucket, FILE_BYTES_MAX, readSizes, scaled, sizesText } from "./sizes";

/** More captions than this hide the bars. */
const MARKS_MAX = 3;
/** The option for custom sizes. */
const OWN = "own";

type Props = {
  search: AdvisorSearch;
  start: Start;
  profiles: SizeProfile[];
  /** The only group: its crossovers are marked. */
  group: AdviceGroup | null;
  onChange: (change: AdvisorChange) => void;
  onDrag: (change: AdvisorChange) => void;
};

export function Traffic({ search, start, profiles, group, onChange, onDrag }: Props) {
  const [isOwnOpen, setOwnOpen] = useState(false);
  const times = search.times ?? 1;
  const now = withDragged(start.buckets, search.dragged);
  const asked = times === 1 ? now : scaled(now, times);
  const isChanged = search.dragged !== undefined || times !== 1;
  const restart = (change: AdvisorChange) => {
    setOwnOpen(false);
    onChange({ profile: undefined, sizes: undefined, dragged: undefined, times: undefined, ...change });
  };
  const drag = (place: number, count: number) => {
    const moved = now.map((bucket, index) => (index === place ? { ...bucket, count } : bucket));
    onDrag({ dragged: draggedText(start.buckets, moved) });
  };
  return (
    <ChartFrame
      name="traffic"
      title={messagesText(asked)}
      summary="Drag bars, or use arrow keys. Dashed: original. Line: cumulative share."
      table={barsTable(start.profile?.slug ?? OWN, barsOf(asked))}
      controls={
        <>
          <div className="controls traffic-controls">
            <SelectField
              label="Messages"
              options={[
                ...profiles.map(({ slug, title }) => ({ value: slug, label: title })),
                ...(start.profile === null ? [{ value: OWN, label: "Custom" }] : []),
              ]}
              value={start.profile?.slug ?? OWN}
              onChange={(slug) => slug !== OWN && restart({ profile: slug })}
            />
            <Button aria-expanded={isOwnOpen} onClick={() => setOwnOpen(!isOwnOpen)}>
              Custom sizes
            </Button>
            <TimesSlider
              times={times}
              onChange={(value) => onDrag({ times: value === 1 ? undefined : value })}
            />
            <Button disabled={!isChanged} onClick={() => onChange({ dragged: undefined, times: undefined })}>
              Reset
            </Button>
          </div>
          {isOwnOpen && (
            <OwnSizes
              text={sizesText(asked)}
              onUse={(buckets) => restart({ sizes: sizesText(buckets) })}
              onClose={() => setOwnOpen(false)}
            />
          )}
        </>
      }
    >
      <DraggedBarsChart
        name="Messages by size, adjustable"
        bars={barsOf(now, times)}
        start={barsOf(start.buckets)}
        crossings={group === null ? [] : marksOf(group, asked)}
        onDrag={drag}
      />
    </ChartFrame>
  );
}

function marksOf(group: AdviceGroup, buckets: Bucket[]): CrossingMark[] {
  const some = buckets.filter(({ count }) => count > 0);
  const [least, most] = [some[0]?.from_bytes ?? 0, some.at(-1)?.to_bytes ?? 0];
  const name = (place: number) => nameAt(group, place);
  return group.crossovers
    .filter(({ x }) => x > least && x < most)
    .slice(0, MARKS_MAX)
    .map(({ below, above, x, from, to }) => ({ x, from, to, label: `${name(below)} | ${name(above)}` }));
}

type OwnSizesProps = {
  text: string;
  onUse: (buckets: Bucket[]) => void;
  onClose: () => void;
};

/** Custom sizes: pasted, or from a chosen or dropped file. Parsed in the browser. */
export function OwnSizes({ text, onUse, onClose }: OwnSizesProps) {
  const id = useId();
  const [typed, setTyped] = useState(text);
  const [error, setError] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const take = (content: string) => {
    const read = readSizes(content);
    if ("error" in read) setError(read.error);
    else onUse(read.buckets);
  };
  const readFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > FILE_BYTES_MAX) {
      setError(`${file.name} is ${formatBytes(file.size)}. Expected at most ${formatBytes(FILE_BYTES_MAX)}.`);
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
      aria-label="Custom sizes"
      data-over={isOver ? "" : undefined}
      onSubmit={submit}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label htmlFor={id}>Message sizes</label>
      <textarea
        id={id}
        rows={4}
        value={typed}
        spellCheck={false}
        aria-describedby={`${id}-note`}
        aria-invalid={error !== null || undefined}
        onChange={({ target }) => {
          setTyped(target.value);
          setError(null);
        }}
      />
      <p id={`${id}-note`} className="muted">
        Buckets, <code>12-15:4387,64:3</code>; rows of <code>bucket_min_bytes,count</code>; or one size per
        line. You can drop a file. Only buckets are uploaded.
      </p>
      {error !== null && (
        <p className="warning" role="alert">
          {error}
        </p>
      )}
      <div className="controls">
        <button type="submit" className="button">
          Apply
        </button>
        <label className="button">
          Choose file
          <input
            type="file"
            className="visually-hidden"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={({ target }) => void readFile(target.files?.[0])}
          />
        </label>
        <TextButton onClick={onClose}>Close</TextButton>
      </div>
    </form>
  );
}

type TimesSliderProps = { times: number; onChange: (times: number) => void };

function TimesSlider({ times, onChange }: TimesSliderProps) {
  const id = useId();
  return (
    <div className="times">
      <label htmlFor={id}>Scale sizes</label>
      <input
        id={id}
        type="range"
        min={0}
        max={STEPS.length - 1}
        value={stepOf(times)}
        aria-valuetext={timesText(times)}
        list={`${id}-marks`}
        onChange={({ target }) => onChange(STEPS[target.valueAsNumber] ?? 1)}
      />
      <datalist id={`${id}-marks`}>
        <option value={stepOf(1)} />
      </datalist>
      <output htmlFor={id}>{timesText(times)}</output>
    </div>
  );
}
