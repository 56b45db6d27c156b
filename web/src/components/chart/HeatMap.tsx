/**
 * Distributions over commits: one column per commit, 8 rows per octave, intensity = share of operations. Drawn on a
 * canvas, because of up to a hundred thousand cells.
 */

import { type ReactNode, useEffect, useRef, useState } from "react";
import { usePlotArea } from "recharts";
import { onColoursChanged } from "@/lib/theme";
import type { Measure } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { type Change, Rules } from "./plottables/Rules";
import { logScale, type Scale } from "./ticks";

/** One column: its range on the axis, and the share of operations by bin. */
export type HeatColumn = { from: number; to: number; x: number; shares: ReadonlyMap<number, number> };

type Props = {
  name: string;
  label: string;
  columns: HeatColumn[];
  stepsPerDoubling: number;
  reach_ns: readonly [number, number];
  xScale: Scale;
  xLabel: (x: number) => string;
  changes: Change[];
  measure: Measure;
  onPin: (x: number) => void;
  onZoom: (range: readonly [number, number] | null) => void;
  onPan: (by: number) => void;
  tooltip: (x: number) => ReactNode;
};

type Area = { x: number; y: number; width: number; height: number };

/** The usual width of line names in the trend chart above, so that commits align. */
const RIGHT_PX = 48;
/** The lowest opacity, for a share of 1 in 10,000. */
const FAINTEST = 0.06;
const SMALLEST_SHARE = 1e-4;

export function HeatMap(props: Props) {
  const { columns, reach_ns, xScale, stepsPerDoubling, name, measure } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [area, setArea] = useState<Area | null>(null);
  const [from, to] = xScale.domain;
  const [shortest, longest] = reach_ns;
  useEffect(() => {
    if (canvas.current === null || area === null) return;
    const view = { from, to, low: Math.log2(shortest), high: Math.log2(longest) };
    const draw = () => {
      if (canvas.current !== null) paint(canvas.current, area, columns, view, stepsPerDoubling);
    };
    draw();
    return onColoursChanged(draw);
  }, [area, columns, from, to, shortest, longest, stepsPerDoubling]);
  return (
    <PointedPlot
      name={name}
      label={props.label}
      frame={{ className: "chart heat-map" }}
      backdrop={
        <canvas
          ref={canvas}
          style={area === null ? {} : { left: area.x, top: area.y, width: area.width, height: area.height }}
        />
      }
      stops={columns.map(({ x }) => x)}
      tooltip={props.tooltip}
      gestures={{ onPin: props.onPin, onZoom: props.onZoom, onPan: props.onPan }}
      height_px={240}
      top_px={24}
      right_px={RIGHT_PX}
      x={{ ...xScale, label: props.xLabel }}
      y={{
        domain: [...reach_ns],
        ticks: logScale([...reach_ns], 6).ticks,
        label: (tick) => measure.axisLabels([tick])[0] ?? "",
        isLogarithmic: true,
      }}
    >
      <AreaReport onChange={setArea} />
      <Rules rules={[]} changes={props.changes.map((change) => ({ ...change, label: "" }))} />
    </PointedPlot>
  );
}

/** Reports the drawing area, which only children of the chart know. */
function AreaReport({ onChange }: { onChange: (area: Area) => void }) {
  const area = usePlotArea();
  const { x, y, width, height } = area ?? { x: 0, y: 0, width: 0, height: 0 };
  useEffect(() => {
    if (width > 0) onChange({ x, y, width, height });
  }, [x, y, width, height, onChange]);
  return null;
}

type View = { from: number; to: number; low: number; high: number };

function paint(
  canvas: HTMLCanvasElement,
  area: Area,
  columns: HeatColumn[],
  view: View,
  steps: number,
): void {
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(area.width * ratio);
  canvas.height = Math.round(area.height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.fillStyle = getComputedStyle(canvas).color;
  const xOf = (x: number) => ((x - view.from) / (view.to - view.from)) * canvas.width;
  const yOf = (log2_ns: number) => (1 - (log2_ns - view.low) / (view.high - view.low)) * canvas.height;
  for (const { from, to, shares } of columns) {
    const [left, right] = [xOf(from), xOf(to)];
    if (right < 0 || left > canvas.width) continue;
    for (const [bin, share] of shares) {
      const [top, bottom] = [yOf((bin + 1) / steps), yOf(bin / steps)];
      context.globalAlpha = opacityOf(share);
      // Whole pixels, so that neighbours neither overlap nor leave gaps.
      const [x, y] = [Math.round(left), Math.round(top)];
      context.fillRect(x, y, Math.max(1, Math.round(right) - x), Math.max(1, Math.round(bottom) - y));
    }
  }
}

/** Opacity over four decades of share, so that the tail is visible. */
function opacityOf(share: number): number {
  const decades = Math.log10(Math.max(share, SMALLEST_SHARE) / SMALLEST_SHARE) / -Math.log10(SMALLEST_SHARE);
  return FAINTEST + (1 - FAINTEST) * decades ** 1.5;
}
