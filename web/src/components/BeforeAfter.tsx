/**
 * Two points before and after a change: their distributions, their repetitions, and the shift of each percentile. Without a
 * point before, only the distribution after.
 */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "@/api/errors";
import { pointDetailQuery } from "@/api/queries";
import type { Case, PointDetail } from "@/api/types";
import { changeText } from "@/lib/changes";
import { shiftsOf, VIEWS, type View } from "@/lib/distributions";
import { type Filed, fileName, inFileName, subjectOf } from "@/lib/fileNames";
import { useLast } from "@/lib/hooks";
import { prunedNote } from "@/lib/pruned";
import { counted, formatCount, formatOf, formatShare } from "@/lib/units";
import { ChartFrame, type ChartTable } from "./chart/ChartFrame";
import { num, tableOf, word } from "./chart/DataTable";
import { DistributionChart } from "./chart/DistributionChart";
import { measureOf } from "./chart/measure";
import { differenceText, ShiftChart } from "./chart/ShiftChart";
import { pendingClass } from "./LazyBeforeAfter";
import { optionsOf, Segmented } from "./ui/controls";

/** A point, and its name in the chart. */
export type BeforeAfterSide = { runId: string; seriesId: number; label: string };

export type BeforeAfterProps = {
  title: string;
  /** The name of the chart in the address; that of the shift is followed by `-shift`. */
  name: string;
  of: Filed;
  before: BeforeAfterSide | null;
  after: BeforeAfterSide;
};

type Loaded = BeforeAfterSide & { detail: PointDetail };

export function BeforeAfter(props: BeforeAfterProps) {
  const { title, name, before, after } = props;
  const [first, second] = [useSide(before), useSide(after)];
  const waiting = [first, second].find((side) => side?.isPending === true || side?.retry != null);
  // The charts of a series stay until those of another commit are loaded: creating charts takes longer than changing them.
  const complete = useLast(
    second === null || waiting !== undefined ? null : { ...props, sides: [first, second] as const },
  );
  if (complete === null || complete.after.seriesId !== after.seriesId || waiting?.retry != null) {
    const pending = { error: waiting?.error ?? null, onRetry: waiting?.retry ?? (() => {}) };
    return (
      <div className={pendingClass(before === null)}>
        <ChartFrame name={name} title={title} summary="" table={null} pending={pending}>
          {null}
        </ChartFrame>
      </div>
    );
  }
  return <Charts {...complete} />;
}

type Side = NonNullable<ReturnType<typeof useSide>>;
type ChartsProps = BeforeAfterProps & { sides: readonly [before: Side | null, after: Side] };

function Charts({ title, name, of, before, after, sides: [first, second] }: ChartsProps) {
  const [view, setView] = useState<View>("density");
  const notes = [first, second].flatMap((side) => side?.missing ?? []);
  const [old, current] = [first?.loaded ?? null, second.loaded];
  const measure = measureOf(of.case);
  const shifts = old === null || current === null ? [] : shiftsOf(old.detail, current.detail);
  const file = [
    fileName(of),
    ...[before, after].flatMap((side) => (side === null ? [] : inFileName(side.label))),
  ].join("-");
  const sideOf = ({ label, detail: { histogram: bins, repetitions } }: Loaded) => ({
    label,
    bins,
    repetitions,
  });
  const loaded = [old, current].flatMap((side) => side ?? []);
  const shown = current ?? old;
  return (
    <div className="before-after">
      <ChartFrame
        name={name}
        title={title}
        subject={subjectOf(of)}
        summary={[...loaded.map((side) => countText(side, of.case)), ...notes].join(" ")}
        table={shown === null ? null : binsTable(file, of, [old, current])}
        controls={
          shown !== null && (
            <Segmented
              label="View"
              options={optionsOf(VIEWS, (value) => VIEW_NAMES[value])}
              value={view}
              onChange={setView}
            />
          )
        }
      >
        {shown !== null && (
          <DistributionChart
            name={name}
            label={`${VIEW_NAMES[view]}, log scale`}
            view={view}
            before={current === null || old === null ? null : sideOf(old)}
            after={sideOf(shown)}
            measure={measure}
          />
        )}
      </ChartFrame>
      {old !== null && current !== null && shifts.length > 0 && (
        <ChartFrame
          name={`${name}-shift`}
          title={`Shift by percentile from ${old.label} to ${current.label}`}
          subject={subjectOf(of)}
          summary={intervalNote(shifts)}
          table={shiftTable(`${file}-shift`, of, shifts, [old, current])}
        >
          <ShiftChart
            name={`${name}-shift`}
            label="Change of each percentile"
            shifts={shifts}
            measure={measure}
          />
        </ChartFrame>
      )}
    </div>
  );
}

const VIEW_NAMES: Record<View, string> = { density: "Density", ecdf: "ECDF", tail: "Tail" };

/** A side with its data; without it, why. */
function useSide(side: BeforeAfterSide | null) {
  const { data, error, refetch, isPending } = useQuery({
    ...pointDetailQuery(side?.runId ?? "", side?.seriesId ?? 0),
    enabled: side !== null,
  });
  if (side === null) return null;
  // Deleted and unknown points are final; other errors can be retried.
  const isFinal = error instanceof ApiError && !error.isTransient;
  const reason = isFinal
    ? error.message
    : data?.histogram.length === 0
      ? (prunedNote(data.pruned) ?? "not stored.")
      : null;
  return {
    isPending,
    error,
    retry: error !== null && !isFinal ? refetch : null,
    missing: reason === null ? null : `No distribution of ${side.label}: ${reason}`,
    loaded: data === undefined || reason !== null ? null : { ...side, detail: data },
  };
}

function countText({ label, detail: { point } }: Loaded, { benchmark }: Case): string {
  const operations = counted(point.count, benchmark == null ? "operation" : "sample");
  return `${label}: ${operations} in ${counted(point.repetition_count, "repetition")}.`;
}

function intervalNote(shifts: ReturnType<typeof shiftsOf>): string {
  return shifts.some(({ repeated }) => repeated?.interval != null)
    ? "Line: all operations; dots: repetitions, with the 95 % CI of the rank test."
    : "Too few repetitions for a confidence interval.";
}

type Sides = readonly [before: Loaded | null, after: Loaded | null];

/** The distributions: one row per bin that has operations. */
function binsTable(file: string, of: Filed, [before, after]: Sides): ChartTable {
  const format = formatOf(of.case);
  const sides = [
    ...(after === null ? [] : [{ ...after, role: "after" }]),
    ...(before === null ? [] : [{ ...before, role: "before" }]),
  ].map(({ label, role, detail: { point, histogram } }) => ({
    label,
    role,
    total: Math.max(1, point.count),
    counts: new Map(histogram.map(({ from_ns, count }) => [from_ns, count])),
    bins: histogram,
  }));
  const rows = () => {
    const bins = new Map(
      sides.flatMap(({ bins: own }) => own.map((bin) => [bin.from_ns, bin.to_ns] as const)),
    );
    return [...bins]
      .map(([from, to]) => ({ from, to }))
      .filter(({ from }) => sides.some(({ counts }) => (counts.get(from) ?? 0) > 0))
      .sort((one, other) => one.from - other.from);
  };
  type Row = ReturnType<typeof rows>[number];
  return tableOf(file, rows, [
    num("From", "from_ns", ({ from }: Row) => from, format),
    num("To", "to_ns", ({ to }: Row) => to, format),
    ...sides.map(({ label, role, counts }) =>
      num(label, `${role}_count`, ({ from }: Row) => counts.get(from) ?? 0, formatCount),
    ),
    ...sides.map(({ label, role, counts, total }) =>
      num(`${label} share`, `${role}_share`, ({ from }: Row) => (counts.get(from) ?? 0) / total, formatShare),
    ),
  ]);
}

function shiftTable(
  file: string,
  of: Filed,
  shifts: ReturnType<typeof shiftsOf>,
  [before, after]: readonly [Loaded, Loaded],
): ChartTable {
  const format = formatOf(of.case);
  type Row = (typeof shifts)[number];
  const interval = (end: 0 | 1) => (row: Row) => row.repeated?.interval?.[end] ?? null;
  return tableOf(file, () => shifts, [
    word("Percentile", "percentile", ({ label }: Row) => label),
    num(before.label, "before_ns", ({ before_ns }: Row) => before_ns, format),
    num(after.label, "after_ns", ({ after_ns }: Row) => after_ns, format),
    num(
      "Difference",
      "difference_ns",
      ({ before_ns, after_ns }: Row) => after_ns - before_ns,
      (by) => differenceText(by, format),
    ),
    num("Change", "change", ({ change }: Row) => change, changeText),
    num("Repetitions", "repetitions_change", ({ repeated }: Row) => repeated?.change ?? null, changeText),
    num("CI from", "ci_low", interval(0), changeText),
    num("CI to", "ci_high", interval(1), changeText),
  ]);
}
