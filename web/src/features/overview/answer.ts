/** The headline: open regressions and their likely cause. In pieces, because commits have their own typeface. Pure. */
import type { Regression } from "@/api/types";
import { lowerFirst } from "@/lib/cases";
import { distinct } from "@/lib/collections";
import { worstText } from "@/lib/regressions";
import { counted, formatCount, upperFirst } from "@/lib/units";

export type Piece = string | { sha: string };

type MachineState = { machine: string; isSuspect: boolean; isOverdue: boolean };

export type Evidence = {
  /** Open regressions; `isWhole` if the list is complete. */
  regressions: Regression[];
  isWhole: boolean;
  machines: MachineState[];
  commitCount: number;
};

export function answerOf(evidence: Evidence): Piece[] {
  const { regressions, isWhole, machines, commitCount } = evidence;
  if (regressions.length > 0) {
    const series = regressions.reduce((sum, { series_count }) => sum + series_count, 0);
    const where = whereOf(regressions, machines);
    const end = [where, ". ", `${causeOf(regressions)}.`];
    const [first, ...others] = regressions;
    if (first?.kind === "drift" && others.length === 0) {
      return [...driftOf(first), `, ${counted(series, "series", "series")}`, ...end];
    }
    const worse = regressions.every(({ is_time }) => is_time) ? "slower" : "worse";
    return [
      `${isWhole ? "" : "More than "}${formatCount(series)} series ${worse}`,
      ...sinceOf(regressions),
      ...end,
    ];
  }
  if (commitCount < 2) return ["First commit measured"];
  const suspect = machines.filter(({ isSuspect }) => isSuspect).map(({ machine }) => machine);
  const overdue = machines.filter(({ isOverdue }) => isOverdue).map(({ machine }) => machine);
  const all = machines.length;
  if (suspect.length > 0) {
    const tail = overdue.length === 0 ? "" : `; ${subject(overdue, all)} overdue`;
    return [`No regressions, but ${subject(suspect, all)} suspect${tail}.`];
  }
  if (overdue.length > 0) return [`No regressions, but ${subject(overdue, all)} overdue.`];
  const machinesAre = all === 1 ? "The machine is" : `${upperFirst(every(all))} are`;
  return [`No regressions. ${machinesAre} stable.`];
}

/** `Drift of +6.1 % since 2d9f8c1`, in pieces. */
function driftOf(regression: Regression): [string, Piece] {
  return [worstText(regression, regression.worst_change, ""), { sha: regression.after_commit.sha }];
}

function sinceOf(regressions: Regression[]): Piece[] {
  const [newest] = regressions.toSorted((a, b) => b.until_commit.ordinal - a.until_commit.ordinal);
  if (newest === undefined) return [];
  if (newest.kind === "drift") {
    const [drift, sha] = driftOf(newest);
    return [`, the latest a ${lowerFirst(drift)}`, sha];
  }
  const { after_commit, until_commit } = newest;
  const shas = distinct(regressions.map((entry) => entry.until_commit.sha));
  const range = until_commit.ordinal - after_commit.ordinal;
  const since = range > 1 ? ` since one of ${formatCount(range)} commits up to ` : " since ";
  return [shas.length > 1 ? `, the latest${since}` : since, { sha: until_commit.sha }];
}

function whereOf(regressions: Regression[], machines: MachineState[]): string {
  const seenOn = distinct(regressions.flatMap((regression) => regression.machines));
  const bad = seenOn.filter((name) => machines.some((entry) => entry.machine === name && entry.isSuspect));
  const [only] = seenOn;
  if (only !== undefined && seenOn.length === 1) return ` on ${only}${bad.length > 0 ? " (suspect)" : ""}`;
  return ` on ${counted(seenOn.length, "machine")}${bad.length > 0 ? ` (suspect: ${bad.join(", ")})` : ""}`;
}

function causeOf(regressions: Regression[]): string {
  const by = (cause: Regression["cause"]) => regressions.filter((entry) => entry.cause === cause);
  const [blamed, machine, unknown] = [by("commit"), by("machine"), by("unknown")];
  const [commit, drift] = [
    blamed.filter(({ kind }) => kind === "step"),
    blamed.filter(({ kind }) => kind === "drift"),
  ];
  const all = regressions.length;
  const commits = distinct(commit.map(({ until_commit }) => until_commit.sha)).length;
  if (commit.length === all) return `Likely cause: the ${commits === 1 ? "commit" : "commits"}`;
  if (drift.length === all) return "No single commit: small changes add up";
  if (machine.length === all) return "Likely cause: the machine";
  if (unknown.length === all) return "Cause: not known yet";
  const counts = { commit, "small changes": drift, machine, unknown };
  const texts = Object.entries(counts).flatMap(([name, { length }]) =>
    length === 0 ? [] : [`${name} (${formatCount(length)})`],
  );
  return `Likely causes: ${texts.join(", ")}`;
}

/** `both machines`, `all 3 machines`. */
function every(count: number): string {
  return count === 2 ? "both machines" : `all ${counted(count, "machine")}`;
}

/** `lab-1 is`, `2 machines are`, `all 3 machines are`. */
function subject(names: string[], all: number): string {
  const [only] = names;
  if (names.length === 1 && only !== undefined) return `${only} is`;
  return `${names.length === all ? every(all) : counted(names.length, "machine")} are`;
}
