/** Texts and filters for regressions. */
import type { RegressionsAsked } from "@/api/queries";
import type { ChangePoint, CommitPlace, Regression, RegressionState, SeriesSummary } from "@/api/types";
import { caseName } from "./cases";
import { changeText, changeWords } from "./changes";
import { shortSha } from "./commits";
import { counted, formatNs, upperFirst } from "./units";

/** Filters by state; the first is the default. */
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

/** The request; open regressions by default. */
export function askedFor({ shown = "open", direction = "regressed", ...rest }: Inbox): RegressionsAsked {
  const states = STATES[shown];
  return { direction, ...(states.length > 0 && { state: states.join(",") }), ...rest };
}

export function headlineOf(
  regressions: Regression[],
  { shown, direction, isWhole }: { shown: Shown; direction: Direction; isWhole: boolean },
): string {
  const noun = direction === "improved" ? "improvement" : "regression";
  const count = regressions.length;
  const more = isWhole ? "" : "More than ";
  const named = (adjective: string) =>
    count === 0 ? `No ${adjective}${noun}s` : `${more}${counted(count, `${adjective}${noun}`)}`;
  if (shown === "fixed") return named("fixed ");
  if (shown !== "open") return `${named("")}${AFTER[shown]}`;
  const worst = largest(regressions);
  const size = worst === null ? "" : `, ${direction === "improved" ? "best" : "worst"} ${changeText(worst)}`;
  const untriaged = regressions.filter(({ state }) => state === "new").length;
  if (count > 0 && untriaged === count) return `${named("untriaged ")}${size}`;
  return `${named("open ")}${untriaged === 0 ? "" : `, ${untriaged} untriaged`}${size}`;
}

const AFTER: Record<Exclude<Shown, "open" | "fixed">, string> = {
  invalid: " marked “not a regression”",
  machine: " caused by machines",
  all: "",
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
  invalid: "not a regression",
  machine: "machine issue",
};

type Ends = Pick<Regression, "until_commit" | "culprit_commit" | "fixed_by_commit">;

/** Whether it begins or ends at a commit. */
export function isAt({ until_commit, culprit_commit, fixed_by_commit }: Ends, sha: string): boolean {
  return (culprit_commit ?? until_commit).sha === sha || fixed_by_commit?.sha === sha;
}

/** The suspect commits: `2d9f8c1`, or `a1b2c3d..2d9f8c1 (12 commits)`, without the first. */
export function rangeText(after: CommitPlace, until: CommitPlace): string {
  const count = until.ordinal - after.ordinal;
  if (count <= 1) return shortSha(until.sha);
  return `${shortSha(after.sha)}..${shortSha(until.sha)} (${counted(count, "commit")})`;
}

/** The largest change: `+12 %`, `Drift of +6.1 % since 2d9f8c1`. */
export function worstText({ kind, after_commit }: Regression, change: number | null, since?: string): string {
  const begin = since ?? shortSha(after_commit.sha);
  if (change === null) return kind === "drift" ? `Drift since ${begin}` : "unknown";
  return upperFirst(changeWords({ kind, matters: true, change }, begin));
}

/** The suspect commits; a drift has none, only a range. */
export function suspectsText({ kind, after_commit, until_commit, culprit_commit }: Regression): string {
  if (culprit_commit !== null) return shortSha(culprit_commit.sha);
  const range = rangeText(after_commit, until_commit);
  return kind === "drift" ? `No single commit: ${range}` : range;
}

/** The cause: `commit`, or the finding that accounts for most of the change: ``+1.00 `sendmsg` per round trip``. */
export function causeText({ cause, explanation }: Regression): string {
  return explanation?.findings[0]?.text ?? cause;
}

/** A change of a time: `+3.4 µs`. */
export function changeOfNs(ns: number): string {
  return `${ns < 0 ? "-" : "+"}${formatNs(Math.abs(ns))}`;
}

/** The text of a link to a series: `unix-stream round trip 64 B, two processes, same CPU on lab-1`. */
export function seriesText(series: SeriesSummary | undefined, seriesId: number): string {
  if (series === undefined) return `series ${seriesId}`;
  return `${series.transport.slug} ${caseName(series.case)} on ${series.machine}`;
}

/** At this probability or more, only the most likely commit is shown. */
export const SURE = 0.9;

/** The largest change of each series; of its p50, if that changed. */
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
