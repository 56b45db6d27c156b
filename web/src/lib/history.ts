/** The newest values of a series, for sparklines. Pure. */
import type { ChangePoint, CommitSummary, LineSeries } from "@/api/types";
import { byImportance, type ChangeMark, lineOf, markOf, pointWords } from "./changes";
import { groupBy } from "./collections";
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

/** Change points of one kind at one place of a line, or before its beginning. */
export type Mark = {
  place: number | "before";
  /** The first place of a drift; otherwise its place. */
  from: number;
  mark: ChangeMark;
  direction: ChangePoint["direction"];
  /** `#31: p50 +20 %` */
  text: string;
};

/** A line's p50 or p99; for imports, the stated values. */
export function historyOf(line: LineSeries, figure: "p50" | "p99" = "p50"): History {
  const values = numbersOf(line.latency_ns?.[figure] ?? line.stated?.center ?? []);
  const known = drawnPlaces(line).flatMap(({ place, ordinal }) => {
    const value = values[place];
    return value === undefined ? [] : [{ ordinal, value }];
  });
  return { ordinals: known.map(({ ordinal }) => ordinal), values: known.map(({ value }) => value) };
}

/** The changes of some figures, placed on a line over these commits; the most important are last. */
export function marksOf(
  changes: readonly ChangePoint[],
  ordinals: readonly number[],
  figures: readonly string[] = ["p50"],
  commits: readonly CommitSummary[] = [],
): Mark[] {
  const placeOf = (asked: number) => ordinals.findIndex((ordinal) => ordinal >= asked);
  const marks = changes.flatMap((change): Mark[] => {
    const { figure, kind, direction, commit_ordinal, after_commit_ordinal } = change;
    const first = placeOf(commit_ordinal);
    if (first === -1 || !figures.includes(lineOf(figure))) return [];
    return [
      {
        place: commit_ordinal < (ordinals[0] ?? 0) ? "before" : first,
        from: kind === "drift" ? placeOf(after_commit_ordinal) : first,
        mark: markOf(change),
        direction,
        text: `#${commit_ordinal}: ${pointWords(change, commits)}`,
      },
    ];
  });
  const alike = groupBy(marks, ({ place, mark, direction }) => `${place} ${mark} ${direction}`);
  return [...alike.values()]
    .map((same) => ({ ...same[0], text: same.map(({ text }) => text).join("; ") }))
    .sort(byImportance);
}
