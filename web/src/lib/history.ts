/** How a series went over its newest commits, for lines the size of a word. Pure. */
import type { ChangePoint, LineSeries } from "@/api/types";
import { numbersOf } from "./delta";

/** One value a commit, the oldest first: of several runs of a commit, the newest one's. */
export type History = { ordinals: number[]; values: number[] };

/** Where a line changes its level: at a place of it, or before it begins. */
export type Mark = { place: number | "before"; direction: ChangePoint["direction"] };

/** A line's medians, or its p99; of what another tool stated, the figures. */
export function historyOf(line: LineSeries, figure: "p50" | "p99" = "p50"): History {
  const values = numbersOf(line.latency_ns?.[figure] ?? line.stated?.center ?? []);
  const newest = new Map(
    numbersOf(line.commit_ordinals).flatMap((ordinal, place) => {
      const value = values[place];
      return value === undefined ? [] : [[ordinal, value] as const];
    }),
  );
  return { ordinals: [...newest.keys()], values: [...newest.values()] };
}

/** The changes of one figure that matter, each once, where they stand on the line. */
export function marksOf(
  changes: readonly ChangePoint[],
  { ordinals }: History,
  figure: string = "p50",
): Mark[] {
  const told = changes.filter((change) => change.matters && change.figure === figure);
  return told.flatMap(({ commit_ordinal, direction }): Mark[] => {
    const place = ordinals.findIndex((ordinal) => ordinal >= commit_ordinal);
    if (place > 0) return [{ place, direction }];
    return place === 0 ? [{ place: "before", direction }] : [];
  });
}
