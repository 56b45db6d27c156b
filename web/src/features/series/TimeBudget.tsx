/** Where the time of a message goes, over the same commits as the trend. */
import { useQuery } from "@tanstack/react-query";
import { memo, useMemo } from "react";
import { budgetQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { BudgetLegend } from "@/components/BudgetBar";
import { BudgetChart } from "@/components/chart/BudgetChart";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { type ChartTable, num, tableOf } from "@/components/chart/DataTable";
import type { Change } from "@/components/chart/plottables/Rules";
import { TooltipBox } from "@/components/chart/Tooltip";
import { useIsNarrow } from "@/components/chart/useIsNarrow";
import {
  type Budget,
  budgetsOf,
  EVENTS,
  elapsedNs,
  formatEvents,
  overlapText,
  type Part,
  type PerMessage,
  partsIn,
  sharesText,
} from "@/lib/budget";
import { fileName, subjectOf } from "@/lib/fileNames";
import { counted, formatDividedNs, unbroken } from "@/lib/units";
import { scaleOf } from "./stops";
import { useRange } from "./usePageState";

type Props = {
  series: SeriesSummary;
  extent: readonly [number, number];
  range: readonly [number, number] | null;
  pinned_x: number;
  changes: Change[];
  onPin: (stop: { ordinal: number; runId: null }) => void;
  onRange: (range: readonly [number, number] | null) => void;
};

/** More columns would be narrower than a pixel. */
const COMMITS_MAX = 500;

export const TimeBudget = memo(function TimeBudget(props: Props) {
  const { series, extent, range, pinned_x, changes, onPin, onRange } = props;
  const { shown, zoom, pan } = useRange(extent, range, onRange);
  const [from = 0, to = 0] = (range ?? extent).map(Math.round);
  const query = useQuery(budgetQuery([series.series_id], { from, to, last: COMMITS_MAX }));
  const [columns] = query.data?.series ?? [];
  const budgets = useMemo(() => (columns === undefined ? [] : budgetsOf(columns)), [columns]);
  if (query.data !== undefined && budgets.length === 0) return null;
  const parts = partsIn(budgets);
  const at = (x: number) => budgets.find(({ ordinal }) => ordinal === x);
  return (
    <ChartFrame
      name="budget"
      title="Where the time goes"
      subject={subjectOf(series)}
      summary={summaryOf(series, budgets)}
      table={query.data === undefined ? null : budgetTable(series, budgets, parts)}
      pending={query.data === undefined ? { error: query.error, onRetry: query.refetch } : undefined}
    >
      <BudgetChart
        name="budget"
        label="Parts of the time by commit; arrow keys pin a commit, plus and minus zoom"
        budgets={budgets}
        parts={parts}
        changes={changes}
        xScale={scaleOf("commits", shown)}
        pinned_x={pinned_x}
        onPin={(ordinal) => onPin({ ordinal, runId: null })}
        onZoom={zoom}
        onPan={pan}
        describe={(x) => {
          const budget = at(x);
          return budget === undefined
            ? "commit without a time budget"
            : `commit ${x}, ${formatDividedNs(elapsedNs(budget))}: ${sharesText(budget)}`;
        }}
        tooltip={(x) => {
          const budget = at(x);
          return budget !== undefined && <BudgetTooltip budget={budget} parts={parts} />;
        }}
      />
      <BudgetLegend parts={parts} />
    </ChartFrame>
  );
});

function summaryOf({ case: { scenario } }: SeriesSummary, budgets: Budget[]): string {
  const each = scenario === "roundtrip" ? "round trip" : "delivered message";
  const newest = budgets.length === COMMITS_MAX ? "newest " : "";
  return `Mean per ${each}; ${newest}${counted(budgets.length, "commit")}. Outlined: pinned.`;
}

/** The uppermost part first, as in the chart. */
function BudgetTooltip({ budget, parts }: { budget: Budget; parts: Part[] }) {
  const { ordinal, parts_ns, events } = budget;
  const isNarrow = useIsNarrow();
  const text = ({ mean, ...ends }: PerMessage, format: (value: number) => string) =>
    unbroken(format(mean)) + (isNarrow ? "" : quartilesText(ends, format));
  return (
    <TooltipBox
      heading={`#${ordinal}: ${formatDividedNs(elapsedNs(budget))}`}
      rows={[
        ...parts
          .toReversed()
          .map(({ key, label }) => ({ name: unbroken(label), value: text(parts_ns[key], formatDividedNs) })),
        ...EVENTS.flatMap(({ key, label }) => {
          const counts = events[key];
          return counts === null ? [] : [{ name: unbroken(label), value: text(counts, formatEvents) }];
        }),
      ]}
      note={[isNarrow ? "means" : "mean [quartiles of repetitions]", overlapText(budget)]
        .filter(Boolean)
        .join("; ")}
    />
  );
}

/** ` [845, 906]`; units only if they differ, and nothing if both are the same. */
export function quartilesText({ q1, q3 }: Omit<PerMessage, "mean">, format: (value: number) => string) {
  const ends = [format(q1), format(q3)];
  const [low, high] = ends.map((text) => text.replace(/^[<\d., ]+/, ""));
  if (ends[0] === ends[1]) return "";
  const shown = low !== "" && low === high ? ends.map((text) => text.replace(` ${low}`, "")) : ends;
  return ` ${unbroken(`[${shown.join(", ")}]`)}`;
}

export function budgetTable(series: SeriesSummary, budgets: Budget[], parts: Part[]): ChartTable {
  const rows = () => budgets.toReversed();
  const hasOverlap = budgets.some(({ parts_ns }) => parts_ns.overlap.mean > 0);
  const part = (label: string, csvName: string, of: (budget: Budget) => PerMessage) => [
    num(label, `${csvName}_ns`, (budget: Budget) => of(budget).mean, formatDividedNs),
    num(`${label} q1`, `${csvName}_ns_q1`, (budget: Budget) => of(budget).q1, formatDividedNs),
    num(`${label} q3`, `${csvName}_ns_q3`, (budget: Budget) => of(budget).q3, formatDividedNs),
  ];
  return tableOf(`${fileName(series)}-time-budget`, rows, [
    num("#", "commit_ordinal", ({ ordinal }) => ordinal),
    // Whole thousandths, because sums have rounding errors.
    num("Time", "elapsed_ns", (budget) => Math.round(1_000 * elapsedNs(budget)) / 1_000, formatDividedNs),
    ...parts.flatMap(({ key, label }) => part(label, key, ({ parts_ns }) => parts_ns[key])),
    ...(hasOverlap ? part("overlap", "overlap", ({ parts_ns }) => parts_ns.overlap) : []),
    ...EVENTS.map(({ key, label }) =>
      num(label, `${key}_per_message`, ({ events }: Budget) => events[key]?.mean ?? null, formatEvents),
    ),
  ]);
}
