/** The newest values of a series, for sparklines. Pure. */
import type { ChangePoint, LineSeries } from "@/api/types";
import { numbersOf } from "./statistics";

/** The point drawn for a commit: its column index, and how many runs the commit has. */
type DrawnPlace = { place: number; ordinal: number; runs: number };

/**
 * The points of a line, one per commit, oldest first: the newest run with an unmodified work tree, otherwise the newest
 * run.
 */
export function drawnPlaces(line: Pick<LineSeries, "commit_ordinals" | "work_tree_modified">): DrawnPlace[] {
  const modified = new Set(line.work_tree_modified);
  const drawn: DrawnPlace[] = [];
  for (const [place, ordinal] of numbersOf(line.commit_ordinals).entries()) {
    const before = drawn.at(-1);
    if (before?.ordinal !== ordinal) {
      drawn.push({ place, ordinal, runs: 1 });
      continue;
    }
    before.runs += 1;
    if (!modified.has(place) || modified.has(before.place)) before.place = place;
  }
  return drawn;
}

export type History = { ordinals: number[]; values: number[] };

/** A change point on a line, or before its beginning. */
export type Mark = { place: number | "before"; direction: ChangePoint["direction"] };

/** A line's p50 or p99; for imports, the stated values. */
export function historyOf(line: LineSeries, figure: "p50" | "p99" = "p50"): History {
  const values = numbersOf(line.latency_ns?.[figure] ?? line.stated?.center ?? []);
  const known = drawnPlaces(line).flatMap(({ place, ordinal }) => {
    const value = values[place];
    return value === undefined ? [] : [{ ordinal, value }];
  });
  return { ordinals: known.map(({ ordinal }) => ordinal), values: known.map(({ value }) => value) };
}

/** The relevant changes of one figure, placed on the line. */
export function marksOf(
  changes: readonly ChangePoint[],
  { ordinals }: History,
  figure: string = "p50",
): Mark[] {
  const relevant = changes.filter((change) => change.matters && change.figure === figure);
  return relevant.flatMap(({ commit_ordinal, direction }): Mark[] => {
    const place = ordinals.findIndex((ordinal) => ordinal >= commit_ordinal);
    if (place > 0) return [{ place, direction }];
    return place === 0 ? [{ place: "before", direction }] : [];
  });
}
