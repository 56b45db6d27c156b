/** From the API's answers to what the pages of machines say. Pure. */
import type { AgentSummary, CanaryReading, CountedShare, MachineSummary } from "@/api/types";
import type { Drift } from "@/lib/canaries";
import { ascending, distinct } from "@/lib/collections";
import { changedFacts } from "@/lib/environments";
import { type Health, usualText } from "@/lib/machines";
import { changeText } from "@/lib/regressions";
import { formatMoment } from "@/lib/time";
import { counted, formatCount, formatShare, inWords } from "@/lib/units";

/** A machine that has measured, or has an agent, or both. */
export type Member = {
  machine: string;
  summary: MachineSummary | null;
  agent: AgentSummary | null;
  health: Health | null;
};

/** All machines by name: those that have measured, and those whose agent has not yet. */
export function membersOf(
  machines: readonly MachineSummary[],
  agents: readonly AgentSummary[],
  healths: ReadonlyMap<string, Health>,
): Member[] {
  const names = distinct([...machines, ...agents].map(({ machine }) => machine)).sort(ascending);
  return names.map((machine) => ({
    machine,
    summary: machines.find((entry) => entry.machine === machine) ?? null,
    agent: agents.find((entry) => entry.machine === machine) ?? null,
    health: healths.get(machine) ?? null,
  }));
}

/** What is wrong with a machine, in a few words each. One that has an agent is heard of without measuring. */
function faultsOf({ agent, health }: Member): string[] {
  const isDoubted = health?.suspectBecause != null || (agent?.suspect ?? []).length > 0;
  const silence = agent === null ? health?.silence : null;
  return [
    ...(agent !== null && agent.failing.length > 0 ? ["failing"] : []),
    ...(isDoubted ? ["suspect"] : []),
    ...(agent?.is_online === false ? ["offline"] : []),
    ...(silence == null ? [] : [`silent since ${formatMoment(silence.since)}`]),
  ];
}

/** How all machines are, as a sentence: those that are not as they should be by name. */
export function fleetSentence(all: readonly Member[]): string {
  if (all.length === 0) return "No machine has measured anything yet.";
  const bad = all.flatMap((member) => {
    const faults = faultsOf(member);
    return faults.length === 0 ? [] : [`${member.machine} is ${faults.join(" and ")}`];
  });
  const good = all.filter((member) => faultsOf(member).length === 0);
  const word = good.every(({ health }) => health?.isWatched === true)
    ? "steady"
    : "without a fault that is known";
  if (bad.length === 0) {
    const who = all.length === 1 ? `${all[0]?.machine} is` : `All ${inWords(all.length)} machines are`;
    return `${who} ${word}.`;
  }
  const count = `Of ${inWords(all.length)} machines ${inWords(good.length)}`;
  const rest =
    all.length === 1 || good.length === 0 ? [] : [`${count} ${good.length === 1 ? "is" : "are"} ${word}`];
  return `${[...rest, ...bad].join("; ")}.`;
}

export function machineSentence(machine: string, { suspectBecause, silence, isWatched }: Health): string {
  const silent =
    silence === null ? null : `silent since ${formatMoment(silence.since)}; ${usualText(silence)}`;
  if (suspectBecause !== null) {
    return `${machine} is suspect: ${suspectBecause}${silent === null ? "" : `. It is ${silent}`}.`;
  }
  if (silent !== null) return `${machine} is ${silent}.`;
  return isWatched
    ? `${machine} is steady.`
    : `Nothing is held against ${machine}, and no canary was read on it.`;
}

/** A stretch of a machine's runs in one environment, by its newest run. */
export type Stretch = { environment_id: number; since: string; newest_run_id: string };

/** The environments that the readings were taken in, newest first, each as often as it began. */
export function stretchesOf(readings: readonly CanaryReading[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { environment_id, started_at, run_id } of readings) {
    const last = stretches.at(-1);
    if (last?.environment_id === environment_id) last.newest_run_id = run_id;
    else stretches.push({ environment_id, since: started_at, newest_run_id: run_id });
  }
  return stretches.reverse();
}

/** A fact that became another one; `null` where there was, or is, none. */
export type FactChange = { name: string; before: string | null; after: string | null };

export function factChanges(before: Record<string, string>, after: Record<string, string>): FactChange[] {
  return changedFacts(before, after).map((name) => ({
    name,
    before: before[name] ?? null,
    after: after[name] ?? null,
  }));
}

/** How often a comparison of a commit with itself found a change, as a sentence; `null` where none was made. */
export function falseComparisonsText({ count, of_count, share, interval }: CountedShare): string | null {
  if (share === null || interval === null) return null;
  const [low, high] = interval as [number, number];
  const found = count === 0 ? "none" : formatCount(count);
  const sure = `95 %: ${formatShare(low)} to ${formatShare(high)}`;
  return `Of ${counted(of_count, "comparison")} of a commit with itself here, ${found} found a change that is not there (${formatShare(share)}; ${sure}).`;
}

/** Less than this is no change that could be written down. */
const SHARE_MIN = 0.0005;

/** How far a canary has gone: `newest five +11 % against the 25 before`. */
export function driftText(drift: Drift | null): string {
  if (drift === null) return "too few readings in this environment to say how far it went";
  const { share, before_count } = drift;
  const how = Math.abs(share) < SHARE_MIN ? "as" : `${changeText(share)} against`;
  return `newest five ${how} the ${formatCount(before_count)} before`;
}
