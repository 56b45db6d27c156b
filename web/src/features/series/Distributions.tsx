/** A heat map of the latency distribution of each commit. It shows several modes and long tails. */

import { useQuery } from "@tanstack/react-query";
import { memo, useMemo } from "react";
import { heatMapQuery } from "@/api/queries";
import type { HeatMapChart, SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { type HeatColumn, HeatMap } from "@/components/chart/HeatMap";
import { measureOf } from "@/components/chart/measure";
import type { Change } from "@/components/chart/plottables/Rules";
import { RidgeChart, ridgeRows } from "@/components/chart/RidgeChart";
import { TooltipBox } from "@/components/chart/Tooltip";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { subjectOf } from "@/lib/fileNames";
import { boundsOfBin } from "@/lib/statistics";
import { counted, formatShare, shareOfAll } from "@/lib/units";
import { REACHES, type Reach, SHAPES, type Shape } from "./search";
import { heatColumns, reachOf, scaleOf, shareBeyond } from "./stops";
import { heatTable } from "./tables";
import { useRange } from "./usePageState";

type Props = {
  series: SeriesSummary;
  extent: readonly [number, number];
  range: readonly [number, number] | null;
  reach: Reach;
  shape: Shape;
  pinned_x: number;
  changes: Change[];
  onPin: (stop: { ordinal: number; runId: null }) => void;
  onRange: (range: readonly [number, number] | null) => void;
  onChange: (change: { reach: Reach } | { shape: Shape }) => void;
};

/** The chart cannot resolve more, and more are slow to load. */
const COLUMNS_MAX = 250;

export const Distributions = memo(function Distributions(props: Props) {
  const { series, extent, range, reach, shape, pinned_x, changes, onPin, onRange, onChange } = props;
  const { shown, zoom, pan } = useRange(extent, range, onRange);
  const [from, to] = (range ?? extent).map(Math.round);
  const query = useQuery(
    heatMapQuery(series.series_id, { from: from ?? 0, to: to ?? 0, columns: COLUMNS_MAX }),
  );
  const chart = query.data ?? null;
  const columns = useMemo(() => (chart === null ? [] : heatColumns(chart)), [chart]);
  const ends = useMemo(
    () => reachOf(columns, chart?.steps_per_doubling ?? 1, reach),
    [columns, chart, reach],
  );
  if (chart !== null && chart.columns.counts.length === 0) return null;
  const steps = chart?.steps_per_doubling ?? 1;
  const measure = measureOf(series.case);
  return (
    <ChartFrame
      name="distributions"
      title="Distribution over commits"
      subject={subjectOf(series)}
      summary={chart === null ? "" : summaryOf(chart, columns, shape, shareBeyond(columns, steps, ends))}
      table={chart === null ? null : heatTable(series, columns, steps)}
      controls={
        <div className="controls">
          <Segmented
            label="Form"
            options={optionsOf(SHAPES, (value) => SHAPE_NAMES[value])}
            value={shape}
            onChange={(value) => onChange({ shape: value })}
          />
          <Segmented
            label="Range"
            options={optionsOf(REACHES, (value) => REACH_NAMES[value])}
            value={reach}
            onChange={(value) => onChange({ reach: value })}
          />
        </div>
      }
      pending={chart === null ? { error: query.error, onRetry: query.refetch } : undefined}
    >
      {shape === "ridges" ? (
        <RidgeChart
          label="Ridgelines of latencies by commit"
          columns={columns}
          stepsPerDoubling={steps}
          reach_ns={ends}
          measure={measure}
          pinned_x={pinned_x}
          onPin={(ordinal) => onPin({ ordinal, runId: null })}
        />
      ) : (
        <HeatMap
          name="distributions"
          label="Heat map of latencies by commit"
          columns={columns}
          stepsPerDoubling={steps}
          reach_ns={ends}
          measure={measure}
          xScale={scaleOf("commits", shown)}
          xLabel={(x) => `#${x}`}
          changes={changes}
          onPin={(ordinal) => onPin({ ordinal, runId: null })}
          onZoom={zoom}
          onPan={pan}
          tooltip={(x) => {
            const column = columns.find((entry) => entry.x === x);
            if (column === undefined) return null;
            return (
              <TooltipBox
                heading={`#${x}`}
                rows={[...column.shares]
                  .sort(([, a], [, b]) => b - a)
                  .slice(0, 4)
                  .map(([bin, share]) => ({
                    name: boundsOfBin(bin, steps).map(measure.format).join(" to "),
                    value: formatShare(share),
                  }))}
                note="most frequent"
              />
            );
          }}
        />
      )}
    </ChartFrame>
  );
});

const SHAPE_NAMES: Record<Shape, string> = { heat: "Heat map", ridges: "Ridgelines" };
const REACH_NAMES: Record<Reach, string> = { usual: "99.9 %", all: "All" };

function summaryOf(chart: HeatMapChart, columns: HeatColumn[], shape: Shape, beyond: number): string {
  const drawn = shape === "heat" ? columns.length : ridgeRows(columns).length;
  const parts = [
    shape === "heat"
      ? "Intensity: share of operations; log scale, 8 rows per octave"
      : "Height: share of operations; newest at the top",
    chart.commit_count > drawn &&
      `${counted(chart.commit_count, "commit")} in ${counted(drawn, shape === "heat" ? "column" : "row")}`,
    chart.missing_count > 0 && `${counted(chart.missing_count, "distribution")} deleted`,
    beyond > 0 && `${shareOfAll(beyond)} out of range`,
  ];
  return `${parts.filter(Boolean).join("; ")}.`;
}
