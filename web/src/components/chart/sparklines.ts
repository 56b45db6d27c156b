/** Geometry of sparklines over the same commits, each with its own scale, and of marks for changes. Pure. */
import type { ChangeMark } from "@/lib/changes";
import type { Mark } from "@/lib/history";

/** The data of one line: a value per commit, `null` if not measured. */
export type Spark = {
  values: (number | null)[];
  /** Indices where comparability with earlier values ends. */
  breaks: number[];
  marks: Mark[];
};

/** The size of a line; marks are below it. */
export const SPARK = { width: 140, height: 22, padding: 2, markRoom: 8 } as const;

export function placeX(place: number, count: number): number {
  const step = (SPARK.width - 2 * SPARK.padding) / Math.max(1, count - 1);
  return rounded(SPARK.padding + place * step);
}

/** The index of the nearest commit; the position is a share of the width. */
export function placeAt(share: number, count: number): number {
  const x = share * SPARK.width - SPARK.padding;
  const step = (SPARK.width - 2 * SPARK.padding) / Math.max(1, count - 1);
  return Math.min(Math.max(Math.round(x / step), 0), count - 1);
}

/**
 * The vertical position of a value. The height covers at least 10 % of the median on each side, so that ordinary noise
 * looks small.
 */
export function sparkScale(
  values: readonly number[],
  height: number,
  padding: number,
): (value: number) => number {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const low = Math.min(sorted[0] ?? 0, median * 0.9);
  const high = Math.max(sorted.at(-1) ?? 0, median * 1.1);
  return (value) => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return rounded(height - padding - share * (height - 2 * padding));
  };
}

/** The path of a line, with gaps between values that are not comparable. */
export function drawn({ values, breaks }: Pick<Spark, "values" | "breaks">) {
  const known = values.filter((value) => value !== null);
  const y = sparkScale(known, SPARK.height, SPARK.padding);
  let path = "";
  let isJoined = false;
  for (const [place, value] of values.entries()) {
    if (breaks.includes(place)) isJoined = false;
    if (value === null) continue;
    // A zero-length segment with round caps is drawn as a dot.
    path += `${isJoined ? "L" : "M"}${placeX(place, values.length)},${y(value)}${isJoined ? "" : "h0"}`;
    isJoined = true;
  }
  return { path, y };
}

export function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

type Marked = {
  mark: ChangeMark;
  direction: Mark["direction"];
  x: number;
  /** Where a drift begins. */
  from: number;
  top: number;
  height?: number;
};

/** The shape of a change below a line. Triangles and wedges point up for slower, down for faster. */
export function markPath({ mark, direction, x, from, top, height = 6 }: Marked): string {
  const isUp = direction === "regressed";
  const least = 0.7 * height;
  switch (mark) {
    case "step":
      return triangle(x, top, height, isUp);
    case "small":
      return triangle(x, top, least, isUp);
    case "tail":
      return `M${x},${top}l${height / 2},${height / 2}l${-height / 2},${height / 2}l${-height / 2},${-height / 2}z`;
    case "known_state":
      return `M${x - least / 2},${top}h${least}v${least}h${-least}z`;
    case "drift": {
      const begin = Math.min(from, x - 2 * height);
      return `M${begin},${isUp ? top + height : top}H${x}V${isUp ? top : top + height}z`;
    }
  }
}

function triangle(x: number, top: number, height: number, isUp: boolean): string {
  const half = 0.6 * height;
  return isUp
    ? `M${x},${top}l${half},${height}h${-2 * half}z`
    : `M${x},${top + height}l${half},${-height}h${-2 * half}z`;
}
