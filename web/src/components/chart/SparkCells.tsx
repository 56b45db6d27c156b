/** Cells of a table with a sparkline per row: all rows are over the same commits and have a common crosshair. */
import { type PointerEvent, type ReactNode, useMemo } from "react";
import { placeOf } from "./CommitSlider";
import { useCrosshair, usePoint } from "./crosshair";
import { drawn, markPath, placeAt, placeX, SPARK, type Spark } from "./sparklines";

/** Identifies the cells as the source of a crosshair movement. */
const SOURCE = "sparks";
const FULL_HEIGHT_PX = SPARK.height + SPARK.markRoom;

/** Moves the crosshair with the pointer over the lines within it. */
export function SparkPointer({ ordinals, children }: { ordinals: readonly number[]; children: ReactNode }) {
  const point = usePoint();
  const onPointerMove = ({ target, clientX }: PointerEvent) => {
    const line = target instanceof Element ? target.closest("[data-spark]") : null;
    if (line === null) return point(null);
    const { left, width } = line.getBoundingClientRect();
    const x = ordinals[placeAt((clientX - left) / width, ordinals.length)];
    point(x === undefined ? null : { x, source: SOURCE });
  };
  return (
    <div onPointerMove={onPointerMove} onPointerLeave={() => point(null)}>
      {children}
    </div>
  );
}

type LineProps = { spark: Spark; text: string; ordinals: readonly number[] };

export function SparkLine({ spark, text, ordinals }: LineProps) {
  const { path, y } = useMemo(() => drawn(spark), [spark]);
  return (
    <svg
      className="sparkline"
      data-spark=""
      width={SPARK.width}
      height={FULL_HEIGHT_PX}
      role="img"
      aria-label={text}
    >
      {/* The pointer area is larger than the line. */}
      <rect width={SPARK.width} height={FULL_HEIGHT_PX} fill="transparent" stroke="none" />
      <path d={path} strokeLinejoin="round" strokeLinecap="round" />
      {spark.marks.map(({ place, from, mark, direction, text: markText }) => {
        if (place === "before") return null;
        const [x, begin] = [place, from].map((at) => placeX(at, spark.values.length)) as [number, number];
        return (
          <path
            key={`${place} ${mark} ${direction}`}
            className={`change-shape change-shape-${mark} change-shape-${direction}`}
            d={markPath({ mark, direction, x, from: begin, top: SPARK.height + 1 })}
          >
            <title>{markText}</title>
          </path>
        );
      })}
      <Cross spark={spark} y={y} ordinals={ordinals} />
    </svg>
  );
}

type CrossProps = Pick<LineProps, "spark" | "ordinals"> & { y: (value: number) => number };

function Cross({ spark, y, ordinals }: CrossProps) {
  const place = placeOf(useCrosshair(), ordinals);
  if (place === null) return null;
  const x = placeX(place, spark.values.length);
  const value = spark.values[place] ?? null;
  return (
    <g className="spark-cross">
      <line x1={x} x2={x} y1={0} y2={FULL_HEIGHT_PX} />
      {value !== null && <circle cx={x} cy={y(value)} r={2.5} />}
    </g>
  );
}

type ValueProps = {
  /** `null` while loading. */
  spark: Spark | null;
  ordinals: readonly number[];
  /** Shown without a crosshair. */
  newest: ReactNode;
  format: (value: number) => ReactNode;
};

export function SparkValue({ spark, newest, ordinals, format }: ValueProps) {
  const place = placeOf(useCrosshair(), ordinals);
  if (place === null || spark === null) return newest;
  const value = spark.values[place] ?? null;
  return value === null ? <span className="muted">not measured</span> : format(value);
}

export function SparkValueHead({ ordinals }: Pick<ValueProps, "ordinals">) {
  const place = placeOf(useCrosshair(), ordinals);
  return place === null ? "Newest" : `At #${ordinals[place]}`;
}
