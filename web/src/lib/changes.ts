/** Words and marks for changes of each kind. Pure. */
import type { ChangePoint, CommitSummary } from "@/api/types";
import { shortSha } from "./commits";

/** The marks of changes, most important first. */
export const MARKS = ["step", "drift", "known_state", "small"] as const;
export type ChangeMark = (typeof MARKS)[number];

type Kinded = Pick<ChangePoint, "kind" | "matters">;

/** The mark of a change: its kind, or `small` below the threshold. */
export function markOf({ kind, matters }: Kinded): ChangeMark {
  return matters || kind === "known_state" ? kind : "small";
}

/** Whether a mark stays in the background: its changes send no alerts. */
export function isFaint(mark: ChangeMark): boolean {
  return mark === "known_state" || mark === "small";
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
  switch (markOf(change)) {
    case "step":
      return size;
    case "drift":
      return `drift of ${size} since ${since}`;
    case "known_state":
      return `${size}, known state: the machine had this level before`;
    case "small":
      return `${size}, small change, below the threshold`;
  }
}

/** A change point in words: `p50 +12 %`. The commit before a drift has its SHA if loaded, otherwise its ordinal. */
export function pointWords(change: ChangePoint, commits: readonly CommitSummary[] = []): string {
  const { figure, after_commit_ordinal } = change;
  const sha = commits.find(({ ordinal }) => ordinal === after_commit_ordinal)?.sha;
  return `${figure} ${changeWords(change, sha === undefined ? `#${after_commit_ordinal}` : shortSha(sha))}`;
}

const LEGENDS: Record<ChangeMark, string> = {
  step: "triangle: change point",
  drift: "wedge: drift, small steps that add up",
  known_state: "square: known state, the machine had this level before",
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
