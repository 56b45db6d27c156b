/** Sparklines over the same commits, one per row, with a common crosshair and a slider for the keyboard. */
import { memo, type PointerEvent, type ReactNode, useMemo } from "react";
import { ScrollRegion } from "@/components/ui/states";
import { CommitSlider, placeOf } from "./CommitSlider";
import { useCrosshair, usePoint } from "./crosshair";
import { drawn, markPath, placeAt, placeX, SPARK, type Spark } from "./sparklines";

/** One row: its first cells, and its line. */
export type SparkRow = {
  key: string;
  cells: ReactNode[];
  /** `null` while loading. */
  spark: Spark | null;
  text: string;
  /** The last cell without a crosshair. */
  newest: ReactNode;
  format: (value: number) => ReactNode;
};

type Props = {
  label: string;
  /** Names of the first columns; an empty name is for controls. */
  columns: string[];
  rows: SparkRow[];
  ordinals: readonly number[];
  describe: (ordinal: number) => string;
};

/** Identifies the grid as the source of a crosshair movement. */
const SOURCE = "grid";
const FULL_HEIGHT_PX = SPARK.height + SPARK.markRoom;

export function SparklineGrid({ label, columns, rows, ordinals, describe }: Props) {
  const point = usePoint();
  const onPointerMove = ({ target, clientX }: PointerEvent) => {
    const line = target instanceof Element ? target.closest("[data-spark]") : null;
    if (line === null) return point(null);
    const { left, width } = line.getBoundingClientRect();
    const x = ordinals[placeAt((clientX - left) / width, ordinals.length)];
    point(x === undefined ? null : { x, source: SOURCE });
  };
  return (
    <ScrollRegion label={label}>
      <table className="table table-dense sparks">
        <thead>
          <tr>
            {columns.map((name) =>
              name === "" ? (
                <td key={name} />
              ) : (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
            <th scope="col">
              <CommitSlider ordinals={ordinals} describe={describe} />
            </th>
            <th scope="col" className="number">
              <ValueHead ordinals={ordinals} />
            </th>
          </tr>
        </thead>
        <tbody onPointerMove={onPointerMove} onPointerLeave={() => point(null)}>
          {rows.map((row) => (
            <Row key={row.key} row={row} names={columns} ordinals={ordinals} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

type RowProps = { row: SparkRow; names: string[] } & Pick<Props, "ordinals">;

const Row = memo(function Row({ row, names, ordinals }: RowProps) {
  const firstNamed = names.findIndex((name) => name !== "");
  return (
    <tr>
      {row.cells.map((cell, index) =>
        index === firstNamed ? (
          <th key={names[index]} scope="row">
            {cell}
          </th>
        ) : (
          <td key={names[index]}>{cell}</td>
        ),
      )}
      <td>{row.spark !== null && <Line spark={row.spark} text={row.text} ordinals={ordinals} />}</td>
      <td className="number spark-value">
        <ValueAt spark={row.spark} newest={row.newest} ordinals={ordinals} format={row.format} />
      </td>
    </tr>
  );
});

type LineProps = { spark: Spark; text: string } & Pick<Props, "ordinals">;

function Line({ spark, text, ordinals }: LineProps) {
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

type CrossProps = { spark: Spark; y: (value: number) => number } & Pick<Props, "ordinals">;

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

type ValueProps = Pick<SparkRow, "spark" | "newest" | "format"> & Pick<Props, "ordinals">;

function ValueAt({ spark, newest, ordinals, format }: ValueProps) {
  const place = placeOf(useCrosshair(), ordinals);
  if (place === null || spark === null) return newest;
  const value = spark.values[place] ?? null;
  return value === null ? <span className="muted">not measured</span> : format(value);
}

function ValueHead({ ordinals }: Pick<Props, "ordinals">) {
  const place = placeOf(useCrosshair(), ordinals);
  return place === null ? "Newest" : `At #${ordinals[place]}`;
}
