/** Where the lines of a grid of sparklines go: all over the same commits, each on a scale of its own. Pure. */

/** What one line is drawn of: a place for each commit of the grid, `null` where nothing was measured. */
export type Spark = {
  values: (number | null)[];
  /** Places from which on values are not compared with those before. */
  breaks: number[];
  marks: SparkMark[];
};

export type SparkMark = { place: number; direction: "regressed" | "improved"; text: string };

/** The size of every line; its marks stand below. */
export const SPARK = { width: 240, height: 22, padding: 2, markRoom: 8 } as const;

export function placeX(place: number, count: number): number {
  const step = (SPARK.width - 2 * SPARK.padding) / Math.max(1, count - 1);
  return rounded(SPARK.padding + place * step);
}

/** The commit that is nearest to a position, of so many; the position as a share of the width. */
export function placeAt(share: number, count: number): number {
  const x = share * SPARK.width - SPARK.padding;
  const step = (SPARK.width - 2 * SPARK.padding) / Math.max(1, count - 1);
  return Math.min(Math.max(Math.round(x / step), 0), count - 1);
}

/**
 * How high a value stands in a word-sized line. Its height stands for at least a tenth of the median to each side, so that
 * ordinary noise looks small and a step looks like one.
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

/** The outline of a line. Between commits that are not compared there is no line. */
export function drawn({ values, breaks }: Pick<Spark, "values" | "breaks">) {
  const known = values.filter((value) => value !== null);
  const y = sparkScale(known, SPARK.height, SPARK.padding);
  let path = "";
  let isJoined = false;
  for (const [place, value] of values.entries()) {
    if (breaks.includes(place)) isJoined = false;
    if (value === null) continue;
    // A point without neighbours is a line of no length: round ends make it a dot.
    path += `${isJoined ? "L" : "M"}${placeX(place, values.length)},${y(value)}${isJoined ? "" : "h0"}`;
    isJoined = true;
  }
  return { path, y };
}

export function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** A triangle below a line: upwards for slower, downwards for faster. */
export function changeTriangle(x: number, top: number, direction: SparkMark["direction"]): string {
  return direction === "regressed" ? `M${x},${top}l3.5,6h-7z` : `M${x},${top + 6}l3.5,-6h-7z`;
}
