/** Words and marks for changes of each kind. Pure. */
import type { ChangePoint, CommitSummary } from "@/api/types";
import { shortSha } from "./commits";
import { formatValue, type Valued } from "./units";

/** The marks of changes, most important first. */
export const MARKS = ["step", "drift", "known_state", "tail", "small"] as const;
export type ChangeMark = (typeof MARKS)[number];

type Kinded = Pick<ChangePoint, "kind" | "matters">;

/** The mark of a change: its kind, or `small` below the threshold. Those of the tail have one for all kinds. */
export function markOf({ figure, ...change }: Kinded & Pick<ChangePoint, "figure">): ChangeMark {
  if (figure === TAIL) return change.matters ? "tail" : "small";
  return markOfKind(change);
}

function markOfKind({ kind, matters }: Kinded) {
  return matters || kind === "known_state" ? kind : "small";
}

/** The figure of changes of p99 / p50. Their levels are ratios. */
const TAIL = "tail";

/** The line on which changes of a figure are drawn: those of the tail on the p99. */
export function lineOf(figure: string): string {
  return figure === TAIL ? "p99" : figure;
}

/** Whether a mark stays in the background: its changes send no alerts. */
export function isFaint(mark: ChangeMark): boolean {
  return mark === "known_state" || mark === "tail" || mark === "small";
}

/** The change of a time: `+12 %`, `-0.8 %`. */
export function changeText(share: number): string {
  const percent = share * 100;
  const size = Math.abs(percent);
  const digits = size >= 9.95 ? 0 : 1;
  return `${percent < 0 ? "\u2212" : "+"}${size.toFixed(digits)} %`;
}

/** A change in words: `+12 %`, `drift of +6.1 % since 2d9f8c1`. */
export function changeWords(change: Kinded & Pick<ChangePoint, "change">, since: string): string {
  const size = changeText(change.change);
  return change.kind === "drift" && change.matters
    ? `drift of ${size} since ${since}`
    : `${size}${remarkOf(change, since)}`;
}

function remarkOf(change: Kinded, since: string): string {
  switch (markOfKind(change)) {
    case "step":
      return "";
    case "drift":
      return `, drift since ${since}`;
    case "known_state":
      return ", known state: the machine had this level before";
    case "small":
      return ", small change, below the threshold";
  }
}

/** The levels before and after a change of a case: `4.02 µs to 4.64 µs`; for the tail, `1.9 to 3.1`. */
export function levelsText(change: ChangePoint, kase: Valued): string {
  const { before_level, after_level } = change;
  const levels =
    change.figure === TAIL
      ? ratiosOf(change)
      : [before_level, after_level].map((level) => formatValue(Math.round(level), kase));
  return levels.join(" to ");
}

/** The ratios before and after a change of the tail, with a second decimal if the first is equal. */
function ratiosOf({ before_level, after_level }: ChangePoint): [string, string] {
  const [before, after] = [before_level.toFixed(1), after_level.toFixed(1)];
  return before === after ? [before_level.toFixed(2), after_level.toFixed(2)] : [before, after];
}

/**
 * A change point in words: `p50 +12 %`, `p99 is now 3.1 times the p50 (was 1.9)`. The commit before a drift has its SHA if
 * loaded, otherwise its ordinal. `name` replaces the name of the figure.
 */
export function pointWords(
  change: ChangePoint,
  commits: readonly CommitSummary[] = [],
  name: string = change.figure,
): string {
  const { figure, after_commit_ordinal } = change;
  const sha = commits.find(({ ordinal }) => ordinal === after_commit_ordinal)?.sha;
  const since = sha === undefined ? `#${after_commit_ordinal}` : shortSha(sha);
  if (figure !== TAIL) return `${name} ${changeWords(change, since)}`;
  const [before, after] = ratiosOf(change);
  return `p99 is now ${after} times the p50 (was ${before})${remarkOf(change, since)}`;
}

const LEGENDS: Record<ChangeMark, string> = {
  step: "triangle: change point",
  drift: "wedge: drift, small steps that add up",
  known_state: "square: known state, the machine had this level before",
  tail: "diamond: tail change, p99 / p50",
  small: "open triangle: small change, below the threshold",
};

/** The legends of the marks in a chart. */
export function legendsOf(changes: readonly { mark: ChangeMark }[]): string[] {
  return MARKS.filter((mark) => changes.some((change) => change.mark === mark)).map((mark) => LEGENDS[mark]);
}

/** For `sort`: the most important mark is last, so that it is drawn on top. */
export function byImportance(one: { mark: ChangeMark }, other: { mark: ChangeMark }): number {
  return MARKS.indexOf(other.mark) - MARKS.indexOf(one.mark);
}
