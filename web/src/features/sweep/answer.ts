/** Headline and caveats of a size sweep. Pure. */
import type { Place } from "@/api/place";
import type { SweptLine } from "@/components/chart/swept";
import { distinct } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import { type Answer, type Change, EQUAL_WITHIN, isBetween } from "@/lib/fastest";
import { slugsOf } from "@/lib/search";
import { intervalText, sizeOf } from "@/lib/statistics";
import type { Crossing, Figure, Load, MeasuredLine } from "@/lib/sweep";
import { counted, formatBytes, unbroken, upperFirst } from "@/lib/units";
import { latencyMeaning, modeName, placementName, scenarioName } from "@/lib/vocabulary";
import type { SweepSearch } from "./search";

/** The headline lists at most this many changes of the fastest line. */
const CHANGES_LISTED_MAX = 3;
/** With more commits, only their number is shown. */
const COMMITS_NAMED_MAX = 3;

/** The fastest line, and up to which size. */
export function headlineOf({ stretches, changes }: Answer, machine: string, figure: Figure): string {
  const best = figure === "throughput" ? "has the highest throughput" : "is fastest";
  const [first] = stretches;
  const last = stretches.at(-1);
  if (first === undefined || last === undefined) return `No comparable results on ${machine}`;
  const range = [first.first, last.last].map((bytes) => unbroken(formatBytes(bytes)));
  const [change, ...later] = changes;
  if (change === undefined) {
    return first.first === last.last
      ? `${first.line.label} ${best} on ${machine} at ${range[0]}, the only measured size`
      : `${first.line.label} ${best} on ${machine} at all measured sizes, ${range.join(" to ")}`;
  }
  if (changes.length > CHANGES_LISTED_MAX) {
    const subject = figure === "throughput" ? "The highest throughput" : "The fastest transport";
    return `${subject} on ${machine} changes ${changes.length} times from ${range.join(" to ")}: first ${first.line.label}, last ${last.line.label}`;
  }
  const next = change.crossing === null ? fromText(change) : `, then ${change.after.line.label}`;
  const end = unbroken(
    change.crossing === null ? formatBytes(change.before.last) : intervalText(change.crossing),
  );
  return `${first.line.label} ${best} on ${machine} up to ${end}${next}${later.map(fromText).join("")}`;
}

export function scopeOf(place: Place, load: Load | undefined, figure: Figure): string {
  const meaning = latencyMeaning(place.scenario);
  const what = figure === "throughput" ? "payload throughput" : figure;
  const scope = [
    scenarioName(place.scenario),
    modeName(place.mode),
    placementName(place.placement),
    !load?.label.includes("window") && "window 1",
    load?.label,
    what,
  ].filter(Boolean);
  return `${upperFirst(scope.join(", "))}${meaning === null ? "" : `. Latency: ${meaning}`}.`;
}

export function caveatsOf(
  answer: Answer,
  { shown: lines, hidden }: { shown: MeasuredLine[]; hidden: MeasuredLine[] },
  figure: Figure,
): string[] {
  const points = lines.flatMap((line) => line.points.map((entry) => ({ line, ...entry })));
  const commits = distinct(points.map(({ point }) => point.commit_sha));
  const lossy = namesOf(points.filter(({ apart }) => apart === "lossy"));
  const elsewhere = namesOf(points.filter(({ apart }) => apart === "environment"));
  const modified = namesOf(points.filter(({ point }) => point.work_tree_modified));
  const hasCrossing = answer.changes.some(({ crossing }) => crossing !== null);
  const sentences = [
    hidden.length > 0 && `Hidden, not ranked: ${hidden.map(({ label }) => label).join(", ")}.`,
    answer.stretches.length > 0 && `Within ${EQUAL_WITHIN * 100} % of the fastest: tied.`,
    isBetween(lines) && "Interpolated between measured sizes.",
    hasCrossing && "Brackets: 95 % CI of the crossover size.",
    figure !== "p50" && "Changes at measured sizes: crossovers are estimated only for p50.",
    ...answer.changes.map(boundText),
    ...answer.changes.map(gapText),
    lossy.length > 0 && `Lossy, not compared (crosses): ${lossy.join(", ")}.`,
    elsewhere.length > 0 && `Other environment, not compared (open points): ${elsewhere.join(", ")}.`,
    commits.length > 1 && commitsText(commits),
    modified.length > 0 && `Modified or unbuilt: ${modified.join(", ")}.`,
  ];
  return sentences.filter((sentence) => sentence !== false);
}

function fromText({ after, crossing }: Change): string {
  const start = crossing === null ? formatBytes(after.first) : intervalText(crossing);
  return `, ${after.line.label} from ${unbroken(start)}`;
}

function boundText({ crossing }: Change): string | false {
  if (crossing === null || (crossing.from !== null && crossing.to !== null)) return false;
  const bound = crossing.from !== null ? "upper bound" : crossing.to !== null ? "lower bound" : "bounds";
  return `The crossover of ${crossing.below.label} and ${crossing.above.label} has no ${bound}.`;
}

/** A line that stops being the fastest only because it has no results for larger sizes. */
function gapText({ before, after, crossing }: Change): string | false {
  const goesOn = before.line.points.some(({ x, apart }) => x >= after.first && apart === null);
  return crossing === null && !goesOn && `${before.line.label} has no results from ${sizeOf(after.first)}.`;
}

function commitsText(commits: string[]): string {
  const named = commits.slice(0, COMMITS_NAMED_MAX).map(shortSha).join(", ");
  const names = commits.length > COMMITS_NAMED_MAX ? "" : ` (${named})`;
  return `Points from ${counted(commits.length, "commit")}${names}.`;
}

function namesOf(points: { line: MeasuredLine }[]): string[] {
  return distinct(points.map(({ line }) => line.label));
}

/** The two selected lines, if both are drawn. */
export function pairOf(lines: SweptLine[], pair: SweepSearch["pair"]): [SweptLine, SweptLine] | null {
  const [a, b] = slugsOf(pair).map((key) => lines.find((line) => line.key === key && line.isShown));
  return a === undefined || b === undefined || a === b ? null : [a, b];
}

/** The default pair: the lines of the first change of the fastest, otherwise the first two. */
export function usualPair(answer: Answer, lines: SweptLine[]): string | undefined {
  const [change] = answer.changes;
  if (change !== undefined) return `${change.before.line.key}.${change.after.line.key}`;
  const [a, b] = lines.filter(({ isShown }) => isShown);
  return a === undefined || b === undefined ? undefined : `${a.key}.${b.key}`;
}

/** Where the faster of two lines changes; without an estimate, between the measured sizes of `between`. */
export type Crossover = {
  below: MeasuredLine;
  above: MeasuredLine;
  crossing: Crossing | null;
  between: [last: number, first: number] | null;
};

/** The changes of the fastest line that the headline names, or all crossovers of two lines. */
export function crossoversOf(
  answer: Answer,
  crossings: Crossing[],
  pair: [SweptLine, SweptLine] | null,
): Crossover[] {
  if (pair === null) {
    return answer.changes.map(({ before, after, crossing }) => ({
      below: before.line,
      above: after.line,
      crossing,
      between: [before.last, after.first],
    }));
  }
  const keys = pair.map(({ key }) => key);
  return crossings
    .filter(({ below, above }) => keys.includes(below.key) && keys.includes(above.key))
    .map((crossing) => ({ below: crossing.below, above: crossing.above, crossing, between: null }));
}
