/**
 * The sentence that answers first: is anything worse, and is it the commit or the machine? From what the server found, in
 * pieces, because a commit is set in another typeface. Pure.
 */
import type { Regression } from "@/api/types";
import { lowerFirst } from "@/lib/cases";
import { distinct } from "@/lib/collections";
import { inWords, upperFirst } from "@/lib/units";

export type Piece = string | { sha: string };

type MachineState = { machine: string; isSuspect: boolean; isSilent: boolean };

export type Evidence = {
  /** Those that are open, and whether that is all of them. */
  regressions: Regression[];
  isWhole: boolean;
  machines: MachineState[];
  commitCount: number;
};

export function answerOf(evidence: Evidence): Piece[] {
  const { regressions, machines, commitCount } = evidence;
  if (regressions.length > 0) {
    return [...worseOf(evidence), ". ", `${causeOf(regressions)}.`];
  }
  if (commitCount < 2) return ["Nothing can be worse yet: one commit was measured."];
  const suspect = machines.filter(({ isSuspect }) => isSuspect).map(({ machine }) => machine);
  const silent = machines.filter(({ isSilent }) => isSilent).map(({ machine }) => machine);
  const all = machines.length;
  if (suspect.length > 0) {
    const tail = silent.length === 0 ? "" : `, and ${lowerFirst(subject(silent, all))} silent`;
    return [`No commit made anything slower. ${subject(suspect, all)} suspect${tail}.`];
  }
  if (silent.length > 0) {
    return [`Nothing got slower as far as is known: ${lowerFirst(subject(silent, all))} silent.`];
  }
  const machinesAre = all === 1 ? "the machine is" : `all ${inWords(all)} machines are`;
  return [`Nothing got slower, and ${machinesAre} steady.`];
}

function worseOf({ regressions, isWhole, machines }: Evidence): Piece[] {
  const series = regressions.reduce((sum, { series_count }) => sum + series_count, 0);
  const count = isWhole
    ? `${upperFirst(inWords(series))} series`
    : `More than ${series.toLocaleString("en")} series`;
  return [`${count} got slower`, ...sinceOf(regressions), `, ${whereOf(regressions, machines)}`];
}

function sinceOf(regressions: Regression[]): Piece[] {
  const [newest] = regressions.toSorted((a, b) => b.until_commit.ordinal - a.until_commit.ordinal);
  if (newest === undefined) return [];
  const { after_commit, until_commit } = newest;
  const shas = distinct(regressions.map((entry) => entry.until_commit.sha));
  const range = until_commit.ordinal - after_commit.ordinal;
  const since = range > 1 ? ` since one of ${inWords(range)} commits up to ` : " since ";
  return [shas.length > 1 ? `, the newest${since}` : since, { sha: until_commit.sha }];
}

function whereOf(regressions: Regression[], machines: MachineState[]): string {
  const seenOn = distinct(regressions.flatMap((regression) => regression.machines));
  const bad = seenOn.filter((name) => machines.some((entry) => entry.machine === name && entry.isSuspect));
  const [only] = seenOn;
  if (only !== undefined && seenOn.length === 1) {
    return `on ${only}, which is ${bad.length > 0 ? "suspect" : "otherwise steady"}`;
  }
  const where = `on ${inWords(seenOn.length)} machines`;
  if (bad.length === 0) return `${where} that are otherwise steady`;
  return `${where}, of which ${listed(bad)} ${bad.length === 1 ? "is" : "are"} suspect`;
}

function causeOf(regressions: Regression[]): string {
  const by = (cause: Regression["cause"]) => regressions.filter((entry) => entry.cause === cause);
  const [commit, machine, unknown] = [by("commit"), by("machine"), by("unknown")];
  const all = regressions.length;
  const commits = distinct(commit.map(({ until_commit }) => until_commit.sha)).length;
  if (commit.length === all) return commits === 1 ? "It is the commit" : "It is the commits, not a machine";
  if (machine.length === all) return "It is the machine, not a commit";
  if (unknown.length === all) return "Whether it is the commit or the machine cannot be told yet";
  const told = [
    commit.length > 0 &&
      `${inWords(commit.length)} of these changes ${commit.length === 1 ? "is" : "are"} a commit’s`,
    machine.length > 0 && `${inWords(machine.length)} the machine’s`,
    unknown.length > 0 && `of ${inWords(unknown.length)} it cannot be told yet`,
  ];
  return upperFirst(told.filter(Boolean).join(", "));
}

/** `lab-1 is`, `two machines are`, `all machines are`. */
function subject(names: string[], all: number): string {
  const [only] = names;
  if (names.length === 1 && only !== undefined) return `${only} is`;
  return names.length === all
    ? `All ${inWords(all)} machines are`
    : `${upperFirst(inWords(names.length))} machines are`;
}

function listed(names: string[]): string {
  return names.length <= 1 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
