/** Texts, evidence and triage of regressions. Pure. */
import type {
  ChangePoint,
  Culprit,
  FieldChange,
  JobRequest,
  Point,
  Regression,
  RegressionChange,
  RegressionDetail,
  RegressionState,
} from "@/api/types";
import { type Budget, PARTS, type Part } from "@/lib/budget";
import { changeText, lineOf } from "@/lib/changes";
import { shortSha } from "@/lib/commits";
import { causeText as reasonText, STATE_NAMES, SURE, worstText } from "@/lib/regressions";
import { formatMoment } from "@/lib/time";
import { counted, upperFirst } from "@/lib/units";

/** `Slower by up to 20 %, since 2d9f8c1 “Copy twice”`, `Drift of +6.1 % since 2d9f8c1`. */
export function titleOf(regression: Regression, culprits: Culprit[]): string {
  const { direction, kind, cause, worst_change, is_time, state, fixed_by_commit } = regression;
  const end = state === "fixed" && fixed_by_commit !== null ? `, until ${shortSha(fixed_by_commit.sha)}` : "";
  if (kind === "drift") {
    return `${worstText(regression, worst_change)}${cause === "machine" ? `, ${OF_MACHINE}` : ""}${end}`;
  }
  const size = worst_change === null ? "" : ` by up to ${changeText(Math.abs(worst_change)).slice(1)}`;
  const [worse, better] = is_time ? ["Slower", "Faster"] : ["Worse", "Better"];
  const what = direction === "regressed" ? worse : better;
  return `${what}${size}, ${causeText(regression, culprits)}${end}`;
}

const OF_MACHINE = "caused by the machine";

function causeText({ cause }: Regression, culprits: Culprit[]): string {
  const [first] = culprits;
  if (cause === "machine") return OF_MACHINE;
  if (first === undefined) return "commit unknown";
  if (first.probability < SURE) return `since one of ${counted(culprits.length, "commit")}`;
  return `since ${shortSha(first.commit.sha)} “${first.commit.subject}”`;
}

/** `4 series on 2 machines`. */
export function whereText({ series_count, machines }: Regression): string {
  return `${series_count} series on ${counted(machines.length, "machine")}`;
}

/** Why no alerts are sent; `null` if they are. */
export function alertState({ held_because, muted_until }: Regression, now: Date): string | null {
  if (muted_until !== null && new Date(muted_until) > now) return "muted";
  return held_because === null ? null : "held";
}

/** One test of whether a change is real: passed, failed, or without an answer. */
export type Check = { name: string; outcome: "ok" | "warning" | "none"; text: string; details: string[] };

/** The kinds of reference series, by the words that begin their sentences. A sibling should follow, others should not. */
const REFERENCES = [
  { name: "Canaries", begin: "canary ", follows: false },
  { name: "Controls", begin: "control ", follows: false },
  { name: "Other machines", begin: "same case on ", follows: true },
];

/** The checks of a change, from its witnesses and its regression. */
export function checksOf(regression: Regression, change: ChangePoint | undefined): Check[] {
  if (change === undefined) return [];
  const { confidence } = change;
  const control = change.witnesses.find((sentence) => sentence.startsWith("control transport:"));
  const witnesses = change.witnesses.filter((sentence) => sentence !== control);
  const references = REFERENCES.flatMap(({ name, begin, follows }): Check[] => {
    const details = witnesses.filter((sentence) => sentence.startsWith(begin));
    if (details.length === 0) return [];
    const followed = details.filter((sentence) => sentence.includes(" also changed")).length;
    const stayed = details.filter((sentence) => sentence.includes(" did not follow")).length;
    const text = [
      followed > 0 && `${followed} of ${details.length} also changed`,
      stayed > 0 && `${stayed} of ${details.length} unchanged`,
    ].filter(Boolean);
    const [expected, unexpected] = follows ? [followed, stayed] : [stayed, followed];
    const outcome = unexpected > 0 ? "warning" : expected > 0 ? "ok" : "none";
    return [{ name, outcome, text: text.join(", ") || "Inconclusive", details }];
  });
  const paired = witnesses.find((sentence) => sentence.startsWith("paired comparison"));
  const { culprit_commit, explanation } = regression;
  const isConfirmed = paired !== undefined || culprit_commit !== null || explanation !== null;
  return [
    {
      name: "Repeat",
      outcome: isConfirmed ? "ok" : "none",
      text: isConfirmed ? "Confirmed in pairs" : "No paired comparison yet",
      details: paired === undefined ? [] : [paired],
    },
    ...references,
    ...(control === undefined
      ? []
      : [
          {
            name: "Transport",
            outcome: "warning" as const,
            text: "Control, not built here",
            details: [control],
          },
        ]),
    {
      name: "Confidence",
      outcome: "ok",
      text: `${confidenceText(confidence)}, ${whereText(regression)}`,
      details: [],
    },
    ...(regression.held_because === null
      ? []
      : [
          {
            name: "Machine",
            outcome: "warning" as const,
            text: "Alerts on hold",
            details: [upperFirst(regression.held_because)],
          },
        ]),
  ];
}

/** `99.98 %`, at most `> 99.99 %`. */
function confidenceText(confidence: number): string {
  return confidence > 0.9999 ? "> 99.99 %" : `${(100 * confidence).toFixed(2)} %`;
}

/** The part of a message's time that changed the most, and by how much. */
export function mostChangedPart(before: Budget, after: Budget): { part: Part; change_ns: number } | null {
  const changes = PARTS.map((part) => ({
    part,
    change_ns: after.parts_ns[part.key].mean - before.parts_ns[part.key].mean,
  }));
  const [most] = changes.sort((one, other) => Math.abs(other.change_ns) - Math.abs(one.change_ns));
  return most === undefined || most.change_ns === 0 ? null : most;
}

/** The current row of a list. */
export type Current = { place: number; id: number | undefined };

/** Where the current row is in a changed list; if it is gone, the one in its place. */
export function currentIn({ place, id }: Current, ids: readonly number[]): Current {
  const known = id === undefined ? -1 : ids.indexOf(id);
  const next = known === -1 ? Math.max(0, Math.min(place, ids.length - 1)) : known;
  return { place: next, id: ids[next] };
}

/** The change that restores the values which another change replaces. */
export function undoOf(regression: Regression, change: RegressionChange): RegressionChange {
  const names = Object.keys(change) as (keyof RegressionChange)[];
  return Object.fromEntries(names.map((name) => [name, regression[name]]));
}

/** `Acknowledged`, `Assigned to ada`: what a change did, for a notice. */
export function doneText(change: RegressionChange, count: number): string {
  const of = count === 1 ? "" : `: ${count}`;
  if (change.state != null) return `${upperFirst(STATE_NAMES[change.state])}${of}`;
  if (change.assignee !== undefined)
    return change.assignee === null ? `Unassigned${of}` : `Assigned to ${change.assignee}${of}`;
  if (change.muted_until !== undefined) return `${change.muted_until === null ? "Unmuted" : "Muted"}${of}`;
  return `Saved${of}`;
}

/** The accounts to choose an assignee from: the members, the user and the current one. */
export function assigneesOf(me: string, current: string | null, members: readonly string[]): string[] {
  return [...new Set([me, ...(current === null ? [] : [current]), ...members])].sort();
}

/** Where a regression's cause may be: the commit before it, and the culprit or the last suspect. */
export function endsOf({ after_commit, until_commit, culprit_commit }: Regression) {
  return { base: after_commit.sha, head: (culprit_commit ?? until_commit).sha };
}

/** The jobs that measure the commits of a range; `null` if there is only one, or if no single commit is the cause. */
export function bisectRequest(regression: Regression): JobRequest | null {
  const { kind, after_commit, until_commit, culprit_commit, machines } = regression;
  if (kind === "drift" || culprit_commit !== null || until_commit.ordinal - after_commit.ordinal <= 1)
    return null;
  return { after: after_commit.sha, until: until_commit.sha, machines };
}

/** The jobs that compare both ends in pairs again. */
export function rerunRequest(regression: Regression): JobRequest {
  const { base, head } = endsOf(regression);
  return { commits: [head], base, machines: regression.machines };
}

/** A regression in two lines, with its address, for a chat. */
export function chatText({ regression, culprits }: RegressionDetail, url: string): string {
  return [`${regression.project}: ${titleOf(regression, culprits)}`, detailsText(regression), url].join("\n");
}

/** The text of an issue about a regression. */
export function issueOf({ regression, culprits }: RegressionDetail, url: string) {
  const { base, head } = endsOf(regression);
  const suspects = culprits.map(
    ({ commit, probability }) => `- ${commit.sha} ${commit.subject} (${Math.round(100 * probability)} %)`,
  );
  const findings = (regression.explanation?.findings ?? []).map(({ text }) => `- ${text}`);
  const list = (name: string, lines: string[]) => (lines.length === 0 ? [] : ["", `${name}:`, ...lines]);
  return {
    title: titleOf(regression, culprits),
    body: [
      `${upperFirst(whereText(regression))}, between ${base} and ${head}.`,
      ...list("Suspect commits", suspects),
      ...list("Why", findings),
      "",
      url,
    ].join("\n"),
  };
}

/** `4 series on 2 machines; +1.00 sendmsg per round trip` */
function detailsText(regression: Regression): string {
  return `${whereText(regression)}; cause: ${reasonText(regression).replaceAll("`", "")}`;
}

/** The height of the trend, reserved while it loads. */
export const TREND_PX = 216;
/** Commits on each side of a change in its trend. */
const AROUND = 40;

/** The line on which a change is drawn. */
export function figureOf({ figure }: ChangePoint): "p50" | "p99" {
  return lineOf(figure) === "p99" ? "p99" : "p50";
}

/** The range of commits around a change, and its figure. */
export function trendAsked(change: ChangePoint) {
  const { after_commit_ordinal, commit_ordinal } = change;
  return {
    from: Math.max(0, after_commit_ordinal - AROUND),
    to: commit_ordinal + AROUND,
    quantiles: figureOf(change),
  };
}

/** The levels before and after a change as lines; none for the tail, whose levels are ratios. */
export function levelLines(change: ChangePoint, ordinals: readonly number[]) {
  const { figure, before_level, after_level, after_commit_ordinal, commit_ordinal } = change;
  const [first, last] = [ordinals[0], ordinals.at(-1)];
  if (lineOf(figure) !== figure || first === undefined || last === undefined) return [];
  const level = (key: "before" | "after", value: number, from: number, to: number) => ({
    key,
    points: [[from, value] as const, [to, value] as const],
  });
  return [
    level("before", before_level, first, after_commit_ordinal),
    level("after", after_level, commit_ordinal, last),
  ];
}

/** The run of a commit to show: the newest without local modifications, otherwise the newest. */
export function runAt(points: readonly Point[]): string | null {
  const clean = points.findLast(({ work_tree_modified }) => !work_tree_modified);
  return (clean ?? points.at(-1))?.run_id ?? null;
}

/** A change of triage in words: `acknowledged; assigned to ada`. */
export function wordsOf(changes: readonly FieldChange[]): string {
  return changes
    .map(({ field, to }) => {
      switch (field) {
        case "state":
          return `state: ${STATE_NAMES[to as RegressionState] ?? to}`;
        case "assignee":
          return to === null ? "assignee removed" : `assigned to ${to}`;
        case "muted_until":
          return to === null ? "unmuted" : `muted until ${formatMoment(to)}`;
        case "note":
          return "note changed";
        default:
          return "issue link changed";
      }
    })
    .join("; ");
}
