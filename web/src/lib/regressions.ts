/** What is said of regressions on more than one page. */
import type { RegressionsAsked } from "@/api/queries";
import type { ChangePoint, CommitPlace, Regression, RegressionState, SeriesSummary } from "@/api/types";
import { caseName } from "./cases";
import { shortSha } from "./commits";
import { counted } from "./units";

/** Which states are shown together; those that somebody has to look at unless it is said. */
export const SHOWN = ["open", "fixed", "invalid", "machine", "all"] as const;
export type Shown = (typeof SHOWN)[number];

export const DIRECTIONS = ["regressed", "improved"] as const;
export type Direction = (typeof DIRECTIONS)[number];

const STATES: Record<Shown, RegressionState[]> = {
  open: ["new", "acknowledged"],
  fixed: ["fixed"],
  invalid: ["invalid"],
  machine: ["machine"],
  all: [],
};

type Inbox = { shown?: Shown; direction?: Direction; quiet?: boolean; after?: string };

/** What the server is asked for; open regressions unless it is said. */
export function askedFor({ shown = "open", direction = "regressed", ...rest }: Inbox): RegressionsAsked {
  const states = STATES[shown];
  return { direction, ...(states.length > 0 && { state: states.join(",") }), ...rest };
}

/** By how much times are longer: `+12 %`, `-0.8 %`. */
export function changeText(share: number): string {
  const percent = share * 100;
  const size = Math.abs(percent);
  const digits = size >= 9.95 ? 0 : 1;
  return `${percent < 0 ? "\u2212" : "+"}${size.toFixed(digits)} %`;
}

export function headlineOf(
  regressions: Regression[],
  { shown, direction, isWhole }: { shown: Shown; direction: Direction; isWhole: boolean },
): string {
  const noun = direction === "improved" ? "improvement" : "regression";
  if (regressions.length === 0) return NOTHING[shown](noun);
  const count = `${isWhole ? "" : "More than "}${counted(regressions.length, noun)}`;
  if (shown !== "open") return `${count} ${AFTER[shown]}`;
  const worst = largest(regressions);
  const size = worst === null ? "" : `; the largest by ${changeText(worst)}`;
  return `${count} ${lookedAt(regressions, isWhole)}${size}`;
}

function lookedAt(regressions: Regression[], isWhole: boolean): string {
  const fresh = regressions.filter(({ state }) => state === "new").length;
  const verb = regressions.length === 1 && isWhole ? "is" : "are";
  if (fresh === regressions.length) return "nobody has looked at yet";
  if (fresh === 0) return `${verb} open and looked after`;
  return `${verb} open, and nobody has looked at ${fresh} of them`;
}

const NOTHING: Record<Shown, (noun: string) => string> = {
  open: (noun) => `No open ${noun}`,
  fixed: (noun) => `No ${noun} was fixed yet`,
  invalid: (noun) => `No ${noun} was said to be none`,
  machine: (noun) => `No machine made a ${noun} by itself`.replace("a im", "an im"),
  all: (noun) => `No ${noun} was found`,
};

const AFTER: Record<Exclude<Shown, "open">, string> = {
  fixed: "fixed",
  invalid: "said to be none",
  machine: "made by machines, not by commits",
  all: "in any state",
};

function largest(regressions: Regression[]): number | null {
  const sizes = regressions.flatMap(({ worst_change }) => worst_change ?? []);
  return sizes.length === 0
    ? null
    : sizes.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one));
}

export const STATE_NAMES: Record<RegressionState, string> = {
  new: "new",
  acknowledged: "acknowledged",
  fixed: "fixed",
  invalid: "no regression",
  machine: "the machine’s",
};

/** The commits of which one made it: `2d9f8c1`, or `after a1b2c3d, up to 2d9f8c1 (12 commits)`. */
export function rangeText(after: CommitPlace, until: CommitPlace): string {
  const count = until.ordinal - after.ordinal;
  if (count <= 1) return shortSha(until.sha);
  return `after ${shortSha(after.sha)}, up to ${shortSha(until.sha)} (${counted(count, "commit")})`;
}

/** A series as a link says it: `unix-stream round trip 64 B, two processes, same CPU on lab-1`. */
export function seriesText(series: SeriesSummary | undefined, seriesId: number): string {
  if (series === undefined) return `series ${seriesId}`;
  return `${series.transport.slug} ${caseName(series.case)} on ${series.machine}`;
}

/** The changes that say most: the largest of each series, of p50 where it has one. */
export function clearest(changes: ChangePoint[], direction: Direction): ChangePoint[] {
  const bySeries = new Map<number, ChangePoint>();
  for (const change of changes) {
    if (change.direction !== direction) continue;
    const known = bySeries.get(change.series_id);
    if (known === undefined || isClearer(change, known)) bySeries.set(change.series_id, change);
  }
  return [...bySeries.values()].sort((one, other) => Math.abs(other.change) - Math.abs(one.change));
}

function isClearer(one: ChangePoint, other: ChangePoint): boolean {
  const ofP50 = ({ figure }: ChangePoint) => figure === "p50";
  return ofP50(one) === ofP50(other) ? Math.abs(one.change) > Math.abs(other.change) : ofP50(one);
}
