/**
 * One distribution, or two on one axis: density, cumulative share, or the share of slower operations. Below, the p50 and p99
 * of each repetition on the same axis.
 */
import { useState } from "react";
import type { HistogramBin, RepetitionDetail } from "@/api/types";
import { TextButton } from "@/components/ui/controls";
import { ascending, distinct } from "@/lib/collections";
import { centralRange, curveOf, labelPlace, type View, valueAt, wholeRange } from "@/lib/distributions";
import { formatShare } from "@/lib/units";
import { CrosshairScope } from "./crosshair";
import { logAxis, type Measure } from "./measure";
import { Plot } from "./Plot";
import { PointedPlot } from "./PointedPlot";
import { type Band, type Curve, Curves } from "./plottables/Curves";
import { RepetitionRows } from "./plottables/RepetitionRows";
import { SideNames } from "./plottables/SideNames";
import { TooltipBox } from "./Tooltip";
import { linearScale, logScale, type Scale } from "./ticks";

type DistributionSide = {
  label: string;
  bins: HistogramBin[];
  repetitions: RepetitionDetail[];
};

type Props = {
  name: string;
  label: string;
  view: View;
  before: DistributionSide | null;
  after: DistributionSide;
  measure: Measure;
};

/** The looks of both sides; the colour is for the side in question. */
const LOOKS = {
  before: { stroke: "var(--muted)", ink: "var(--muted)", dash: "", width: 1.5 },
  after: { stroke: "var(--data-1)", ink: "var(--data-1-ink)", dash: "", width: 2 },
};
const FILLS = { before: "var(--interval)", after: "var(--band)" };
const HEIGHT_PX = 240;
const ROW_PX = 34;
const RIGHT_PX = 24;

export function DistributionChart({ name, label, view, before, after, measure }: Props) {
  const [zoom, setZoom] = useState<readonly [number, number] | null>(null);
  const sides = [
    ...(before === null ? [] : [{ ...before, role: "before" as const }]),
    { ...after, role: "after" as const },
  ];
  const bins = sides.map((side) => side.bins);
  const x = logAxis(measure, [...(zoom ?? (view === "tail" ? wholeRange(bins) : centralRange(bins)))]);
  const curves = sides.map(
    ({ role, label: side, bins: own }): Curve => ({
      key: role,
      label: side,
      ...LOOKS[role],
      points: curveOf(own, view),
    }),
  );
  const bands = view === "density" ? curves.map(({ key, points }) => bandOf(key, points)) : [];
  const stops = stopsOf(bins, view);
  return (
    <CrosshairScope>
      <PointedPlot
        name={name}
        label={label}
        frame={{ className: "chart chart-pinning" }}
        stops={stops}
        curves={view === "density" ? [] : curves}
        tooltip={(at) => <ShareTooltip at={at} view={view} curves={curves} measure={measure} />}
        gestures={{ onZoom: setZoom }}
        height_px={HEIGHT_PX}
        top_px={14}
        right_px={RIGHT_PX}
        x={x}
        y={yAxisOf(view, curves, x.domain)}
      >
        <Curves curves={curves} bands={bands} />
        <SideNames
          names={sides.map(({ role, label: side, bins: own }) => ({
            label: side,
            ink: LOOKS[role].ink,
            at: labelPlace(own, view),
          }))}
        />
      </PointedPlot>
      {sides.some(({ repetitions }) => repetitions.length > 0) && (
        <div className="chart" role="img" aria-label="p50 and p99 of each repetition">
          <Plot
            height_px={sides.length * ROW_PX}
            top_px={0}
            right_px={RIGHT_PX}
            x={{ ...x, isHidden: true }}
            y={{
              domain: [sides.length - 0.5, -0.5],
              ticks: sides.map((_, row) => row),
              label: (row) => nameOfRow(sides[row]),
            }}
            hasRules={false}
          >
            <RepetitionRows
              rows={sides.map(({ role, repetitions }) => ({ stroke: LOOKS[role].stroke, repetitions }))}
              format={measure.format}
            />
          </Plot>
        </div>
      )}
      {zoom !== null && <TextButton onClick={() => setZoom(null)}>Show all</TextButton>}
    </CrosshairScope>
  );
}

/** The room for names of rows, in characters. */
const ROW_NAME_MAX = 9;

function nameOfRow(side: { label: string; role: string } | undefined): string {
  if (side === undefined) return "";
  return side.label.length > ROW_NAME_MAX ? side.role : side.label;
}

function bandOf(key: string, points: Curve["points"]): Band {
  return {
    key,
    fill: FILLS[key === "before" ? "before" : "after"],
    points: points.map(([x, y]) => [x, 0, y] as const),
  };
}

function stopsOf(sides: HistogramBin[][], view: View): number[] {
  const positions = sides.flatMap((bins) =>
    bins.map(({ from_ns, to_ns }) =>
      view === "density" ? Math.sqrt(Math.max(1, from_ns) * to_ns) : Math.max(1, to_ns),
    ),
  );
  return distinct(positions).sort(ascending);
}

function yAxisOf(view: View, curves: Curve[], [from, to]: readonly [number, number]) {
  if (view === "ecdf") return { ...SHARES, label: percentOf };
  const seen = curves.flatMap(({ points }) => points.filter(([x]) => x >= from && x <= to).map(([, y]) => y));
  if (view === "tail") {
    return { ...logScale(seen, 7), label: percentOf, isLogarithmic: true };
  }
  const { domain, ticks } = linearScale([0, ...seen], 4);
  return { domain: [0, domain[1]] as [number, number], ticks, label: percentOf };
}

const SHARES: Scale = { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] };

function percentOf(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}

type TooltipProps = { at: number; view: View; curves: Curve[]; measure: Measure };

const RELATIONS: Record<View, string> = { density: "about", ecdf: "up to", tail: "above" };

function ShareTooltip({ at, view, curves, measure }: TooltipProps) {
  return (
    <TooltipBox
      heading={`${RELATIONS[view]} ${measure.format(at)}`}
      rows={curves.map(({ label, points }) => ({
        name: label,
        value: formatShare(valueAt(points, view, at)),
      }))}
    />
  );
}
