/**
 * Values by commit or time: labelled lines, bands, special points and events. One point can be pinned by pointer or
 * keyboard; for screen readers the chart is a slider.
 */
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Keyed, onChartKey } from "./keys";
import { LineSample } from "./LineSample";
import type { Measure } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { Boxes, type BoxRow } from "./plottables/Boxes";
import { type Band, type Curve, Curves } from "./plottables/Curves";
import { EndLabels } from "./plottables/EndLabels";
import { type MarkedPoint, PointMarks } from "./plottables/PointMarks";
import { type Change, type Rule, Rules } from "./plottables/Rules";
import { extent, type Scale } from "./ticks";
import { useIsNarrow } from "./useIsNarrow";

type Props = Keyed & {
  name: string;
  label: string;
  curves: Curve[];
  bands: Band[];
  boxes: BoxRow[];
  marks: MarkedPoint[];
  rules: Rule[];
  changes: Change[];
  xScale: Scale;
  xLabel: (x: number) => string;
  measure: Measure;
  isLogarithmic: boolean;
  pinned: { x: number; y: number };
  /** The first line over the full range, and that range; the brush moves the visible part. */
  overview: Curve["points"];
  extent: readonly [number, number];
  onMove: (range: readonly [number, number]) => void;
  /** Scrolls by units of the axis. */
  onPan: (by: number) => void;
  onCompare?: ((base: number, head: number) => void) | undefined;
  describe: (x: number) => string;
  tooltip: (x: number) => ReactNode;
};

// Below the chart, so it may arrive later.
const RangeBrush = lazy(async () => ({ default: (await import("./RangeBrush")).RangeBrush }));

/** The line under the pointer; the others are faded. */
const RAISED = { width: 2.5 };
const REST_MS = 80;
/** With fewer lines, the pointer raises none, only their names do. */
const RAISED_MIN = 5;
/** With fewer points, the full range is always readable. */
const BRUSH_MIN = 8;
/** With more points, dots are omitted. */
const DOTS_MAX = 60;
const NARROW_LABEL_MAX = 8;
const LABEL_ROOM_MIN_PX = 48;
const LABEL_GAP_PX = 14;
const LABEL_CHARACTER_PX = 7;

export function TrendChart(props: Props) {
  const [pointed, setPointed] = useState<string | null>(null);
  const rest = useRest(setPointed);
  const { name, bands, boxes, marks, stops, xScale, measure, pinned, onPin, onZoom } = props;
  const [from, to] = xScale.domain;
  const curves = useMemo(
    () =>
      pointed === null
        ? props.curves
        : props.curves.map((curve) => ({
            ...curve,
            ...(curve.label === pointed ? RAISED : { isFaded: true }),
          })),
    [props.curves, pointed],
  );
  const seen = useCallback(([x]: readonly [number, ...number[]]) => x >= from && x <= to, [from, to]);
  const pinned_y = seen([pinned.x]) ? pinned.y : null;
  // Pinning a point does not read all values again.
  const drawn = useMemo(() => {
    const values = [
      ...props.curves.flatMap(({ points }) => points.filter(seen).map(([, y]) => y)),
      ...bands.flatMap(({ points }) => points.filter(seen).flatMap(([, low, high]) => [low, high])),
    ];
    const { low, high } = extent(values);
    return values.length === 0 ? [] : [low, high];
  }, [props.curves, bands, seen]);
  const { isLogarithmic, ...yScale } = useMemo(
    () => yAxisOf(measure, pinned_y === null ? drawn : [...drawn, pinned_y], props.isLogarithmic),
    [drawn, pinned_y, measure, props.isLogarithmic],
  );
  const isNarrow = useIsNarrow();
  // On narrow screens, long names are below.
  const below = isNarrow ? curves.filter(({ label }) => label.length > NARROW_LABEL_MAX) : [];
  const labelled = curves.filter((curve) => !below.includes(curve));
  const right_px = labelRoom(labelled);
  const yLabels = measure.axisLabels(yScale.ticks);
  const isOne = stops.length === 1;
  const endLabels = labelled.flatMap(({ label, ink, isFaded = false, points }) => {
    const value = points.findLast(seen)?.[1];
    return value === undefined
      ? []
      : [{ label: isOne ? `${label} ${measure.format(value)}` : label, ink, value, isFaded }];
  });
  return (
    <>
      <PointedPlot
        name={name}
        label={props.label}
        frame={{
          className: "chart chart-pinning",
          role: "slider",
          tabIndex: 0,
          "aria-valuemin": 1,
          "aria-valuemax": stops.length,
          "aria-valuenow": Math.max(0, stops.indexOf(pinned.x)) + 1,
          "aria-valuetext": props.describe(pinned.x),
          onKeyDown: (event) => onChartKey(event, pinned.x, xScale.domain, props),
        }}
        stops={stops}
        curves={curves}
        tooltip={props.tooltip}
        gestures={{
          onPin,
          onZoom,
          onPan: props.onPan,
          onCompare: props.onCompare,
          ...(curves.length >= RAISED_MIN && { onCurve: (curve) => rest(curve?.label ?? null) }),
        }}
        height_px={300}
        top_px={24}
        right_px={right_px}
        x={{ ...xScale, label: props.xLabel }}
        y={{ ...yScale, label: (tick) => yLabels[yScale.ticks.indexOf(tick)] ?? "", isLogarithmic }}
      >
        <Rules rules={props.rules} changes={props.changes} />
        {boxes.length > 0 ? <Boxes rows={boxes} /> : <Curves curves={curves} bands={bands} />}
        <PointMarks points={marks} pinned={pinned} dots={stops.length <= DOTS_MAX} />
        <EndLabels
          labels={endLabels}
          nextTo={isOne ? stops[0] : undefined}
          onPoint={isOne ? undefined : rest}
        />
      </PointedPlot>
      {below.length > 0 && (
        <ul className="line-choice">
          {below.map(({ key, label, stroke, dash }) => (
            <li key={key}>
              <LineSample style={{ stroke, ink: stroke, dash, marker: "circle" }} />
              {label}
            </li>
          ))}
        </ul>
      )}
      {stops.length >= BRUSH_MIN && (
        <Suspense fallback={<div className="brush" />}>
          <RangeBrush
            points={props.overview}
            extent={props.extent}
            shown={[from, to]}
            right_px={right_px}
            label={props.xLabel}
            onRange={props.onMove}
          />
        </Suspense>
      )}
    </>
  );
}

/** A logarithmic axis needs values above zero; in a narrow range it looks linear, so linear labels suit it better. */
function yAxisOf(measure: Measure, values: number[], isWanted: boolean): Scale & { isLogarithmic: boolean } {
  const { low, high } = extent(values);
  const isLogarithmic = isWanted && low > 0;
  if (!isLogarithmic || high / low < NARROW_RATIO) return { ...measure.linear(values), isLogarithmic };
  return { ...measure.logarithmic([low / LOG_ROOM, high * LOG_ROOM]), isLogarithmic };
}

const NARROW_RATIO = 4;
const LOG_ROOM = 1.06;

/** Calls a function once the pointer rests, because raising a line draws all lines. */
function useRest<T>(then: (value: T) => void): (value: T) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (value) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => then(value), REST_MS);
  };
}

function labelRoom(labels: { label: string }[]): number {
  const longest = labels.reduce((most, { label }) => Math.max(most, label.length), 0);
  return Math.max(LABEL_ROOM_MIN_PX, LABEL_GAP_PX + longest * LABEL_CHARACTER_PX);
}
