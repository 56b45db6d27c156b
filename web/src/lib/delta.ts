/** Columns of the charts' answers as values. How they are sent says docs/reference/charts.md. */
import type { EnvironmentBegins } from "@/api/types";

/** A column of differences as the numbers that they lead to. */
export function numbersOf(deltas: readonly number[]): number[] {
  let sum = 0;
  return deltas.map((delta) => {
    sum += delta;
    return sum;
  });
}

/** The same of a column in which values may be absent. */
export function optionalNumbersOf(deltas: readonly (number | null)[]): (number | null)[] {
  let sum = 0;
  return deltas.map((delta) => {
    if (delta === null) return null;
    sum += delta;
    return sum;
  });
}

/** The environment of each of so many points. */
export function environmentsOf(begins: readonly EnvironmentBegins[], count: number): number[] {
  return begins.flatMap(({ index, environment_id }, place) => {
    const end = begins[place + 1]?.index ?? count;
    return Array.from({ length: end - index }, () => environment_id);
  });
}

/** How many operations are in a bin of a column, for each bin that has any. */
export function countsByBin(firstBin: number, counts: readonly number[]): Map<number, number> {
  const byBin = new Map<number, number>();
  let bin = firstBin;
  for (const count of counts) {
    // Below zero it is so many bins without any.
    if (count < 0) bin -= count;
    else byBin.set(bin++, count);
  }
  return byBin;
}

/** Where a bin begins and where it ends, in nanoseconds. */
export function boundsOfBin(bin: number, stepsPerDoubling: number): [from: number, to: number] {
  return [2 ** (bin / stepsPerDoubling), 2 ** ((bin + 1) / stepsPerDoubling)];
}
