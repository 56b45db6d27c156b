/** What a size sweep answers, in sentences. Pure. */
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

/** As many changes of the fastest fit into one sentence. */
const CHANGES_TOLD_MAX = 3;
/** As many commits are named; of more, how many. */
const COMMITS_NAMED_MAX = 3;

/** The page's sentence: who is the fastest, up to which size. */
export function headlineOf({ stretches, changes }: Answer, machine: string, figure: Figure): string {
  const best = figure === "throughput" ? "carries the most" : "is fastest";
  const [first] = stretches;
  const last = stretches.at(-1);
  if (first === undefined || last === undefined)
    return `Nothing that could be compared was measured on ${machine}`;
  const range = [first.first, last.last].map((bytes) => unbroken(formatBytes(bytes)));
  const [change, ...later] = changes;
  if (change === undefined) {
    return first.first === last.last
      ? `${first.line.label} ${best} on ${machine} at ${range[0]}, the only size measured`
      : `${first.line.label} ${best} on ${machine} at every size measured, from ${range.join(" to ")}`;
  }
  if (changes.length > CHANGES_TOLD_MAX) {
    return `Who ${best} on ${machine} changes ${changes.length} times from ${range.join(" to ")}: ${first.line.label} at first, ${last.line.label} in the end`;
  }
  const from = later.map((next) => `, from ${startOf(next, false)} ${next.after.line.label}`).join("");
  const end = unbroken(
    change.crossing === null ? formatBytes(change.before.last) : intervalText(change.crossing),
  );
  return `Up to ${end} ${first.line.label} ${best} on ${machine}, from ${startOf(change, true)} ${change.after.line.label}${from}`;
}

export function scopeOf(place: Place, load: Load | undefined, figure: Figure): string {
  const meaning = latencyMeaning(place.scenario);
  const what = figure === "throughput" ? "payload bytes a second" : `${figure} of all operations`;
  const scope = [
    scenarioName(place.scenario),
    modeName(place.mode),
    placementName(place.placement),
    !load?.label.includes("window") &&
      (place.scenario === "roundtrip" ? "one message in flight" : "window 1"),
    load?.label,
    what,
  ].filter(Boolean);
  return `${upperFirst(scope.join(", "))}${meaning === null ? "" : `. Times are ${meaning}`}.`;
}

export function cautionsOf(
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
    hidden.length > 0 &&
      `Hidden, so they take no part in this answer: ${hidden.map(({ label }) => label).join(", ")}.`,
    answer.stretches.length > 0 &&
      `Lines within ${EQUAL_WITHIN * 100} % of the fastest count as equal to it; the one that is so over more sizes is named.`,
    isBetween(lines) && "Between two sizes that it was measured at, a line counts as it is drawn.",
    hasCrossing && "In brackets: the 95 % interval of the size at which the two are equal.",
    figure !== "p50" && "Crossings are calculated for p50 alone: here are the sizes that were measured.",
    ...answer.changes.map(boundText),
    ...answer.changes.map(gapText),
    lossy.length > 0 && `Lossy, so compared with nothing and drawn as crosses: ${lossy.join(", ")}.`,
    elsewhere.length > 0 &&
      `Measured in another environment than the newest commit, so drawn open and compared with nothing: ${elsewhere.join(", ")}.`,
    commits.length > 1 && commitsText(commits),
    modified.length > 0 &&
      `Tracked files differed from the commit when these were measured: ${modified.join(", ")}.`,
  ];
  return sentences.filter((sentence) => sentence !== false);
}

/** Where one line takes over, for the chart and the table. */
export function captionOf(crossing: Omit<Crossing, "above">): string {
  return `${crossing.below.label} wins below ${intervalText(crossing)}`;
}

function startOf({ after, crossing }: Change, isSaid: boolean): string {
  if (crossing === null) return unbroken(formatBytes(after.first));
  return isSaid ? "there" : unbroken(intervalText(crossing));
}

function boundText({ crossing }: Change): string | false {
  if (crossing === null || (crossing.from !== null && crossing.to !== null)) return false;
  const side = crossing.from !== null ? "not above" : crossing.to !== null ? "not below" : "on neither side";
  return `The interval of where ${crossing.below.label} and ${crossing.above.label} are equal is bounded ${side}: the repetitions do not tell them apart as far as they were measured.`;
}

/** Who stops being the fastest only because nobody measured it further. */
function gapText({ before, after, crossing }: Change): string | false {
  const goesOn = before.line.points.some(({ x, apart }) => x >= after.first && apart === null);
  return (
    crossing === null && !goesOn && `${before.line.label} was not measured from ${sizeOf(after.first)} on.`
  );
}

function commitsText(commits: string[]): string {
  const named = commits.slice(0, COMMITS_NAMED_MAX).map(shortSha).join(", ");
  const names = commits.length > COMMITS_NAMED_MAX ? "" : ` (${named})`;
  return `The newest points are of ${counted(commits.length, "commit")}${names}: the table says which is of which.`;
}

function namesOf(points: { line: MeasuredLine }[]): string[] {
  return distinct(points.map(({ line }) => line.label));
}

/** The two lines whose crossings are asked for, where both are drawn. */
export function pairOf(lines: SweptLine[], pair: SweepSearch["pair"]): [SweptLine, SweptLine] | null {
  const [a, b] = slugsOf(pair).map((key) => lines.find((line) => line.key === key && line.isShown));
  return a === undefined || b === undefined || a === b ? null : [a, b];
}

/** The two lines that are offered first: those of the first change of the fastest, else the first two. */
export function usualPair(answer: Answer, lines: SweptLine[]): string | undefined {
  const [change] = answer.changes;
  if (change !== undefined) return `${change.before.line.key}.${change.after.line.key}`;
  const [a, b] = lines.filter(({ isShown }) => isShown);
  return a === undefined || b === undefined ? undefined : `${a.key}.${b.key}`;
}

/** The crossings that are marked: those at which the fastest changes, or all of two lines. They are of p50. */
export function markedCrossings(
  answer: Answer,
  crossings: Crossing[],
  pair: [SweptLine, SweptLine] | null,
  figure: Figure,
): Crossing[] {
  if (figure !== "p50") return [];
  if (pair === null) return answer.changes.flatMap(({ crossing }) => crossing ?? []);
  const keys = pair.map(({ key }) => key);
  return crossings.filter(({ below, above }) => keys.includes(below.key) && keys.includes(above.key));
}
