/** Texts of the machine pages. Pure. */
import type { AgentSummary, CountedShare, MachineSummary } from "@/api/types";
import type { Drift } from "@/lib/canaries";
import { changeText } from "@/lib/changes";
import { ascending, distinct } from "@/lib/collections";
import { changedFacts } from "@/lib/environments";
import { type Health, usualText } from "@/lib/machines";
import { formatMoment } from "@/lib/time";
import { counted, formatCount, formatShare } from "@/lib/units";

/** A machine with runs, an agent, or both. */
export type Member = {
  machine: string;
  summary: MachineSummary | null;
  agent: AgentSummary | null;
  health: Health | null;
};

/** All machines by name, with runs or only an agent. */
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

/** The problems of a machine. With an agent, contact counts instead of runs. */
function faultsOf({ agent, health }: Member): string[] {
  const isSuspect = health?.suspectBecause != null || (agent?.suspect ?? []).length > 0;
  const silence = agent === null ? health?.silence : null;
  return [
    ...(agent !== null && agent.failing.length > 0 ? ["failing"] : []),
    ...(isSuspect ? ["suspect"] : []),
    ...(agent?.is_online === false ? ["offline"] : []),
    ...(silence == null ? [] : [`overdue since ${formatMoment(silence.since)}`]),
  ];
}

/** A summary of all machines, with problems by name. */
export function fleetSentence(all: readonly Member[]): string {
  if (all.length === 0) return "No machines yet";
  const bad = all.flatMap((member) => {
    const faults = faultsOf(member);
    return faults.length === 0 ? [] : [`${member.machine} ${faults.join(" and ")}`];
  });
  const good = all.filter((member) => faultsOf(member).length === 0);
  const word = good.every(({ health }) => health?.isWatched === true) ? "stable" : "without known issues";
  if (bad.length === 0) {
    return all.length === 1 ? `${all[0]?.machine}: ${word}` : `All ${all.length} machines ${word}`;
  }
  const rest = good.length === 0 ? [] : [`${good.length} of ${all.length} machines ${word}`];
  return [...rest, ...bad].join("; ");
}

export function machineSentence(machine: string, { suspectBecause, silence, isWatched }: Health): string {
  const problems = [
    ...(suspectBecause === null ? [] : [`suspect, ${suspectBecause}`]),
    ...(silence === null ? [] : [`overdue since ${formatMoment(silence.since)}, ${usualText(silence)}`]),
  ];
  if (problems.length > 0) return `${machine}: ${problems.join("; ")}`;
  return `${machine}: ${isWatched ? "stable" : "no known issues, no canary readings"}`;
}

/** A changed fact; `null` if absent before or after. */
export type FactChange = { name: string; before: string | null; after: string | null };

export function factChanges(before: Record<string, string>, after: Record<string, string>): FactChange[] {
  return changedFacts(before, after).map((name) => ({
    name,
    before: before[name] ?? null,
    after: after[name] ?? null,
  }));
}

/** The false positives among A/A comparisons; `null` without any. */
export function falseComparisonsText({ count, of_count, share, interval }: CountedShare): string | null {
  if (share === null || interval === null) return null;
  const [low, high] = interval as [number, number];
  const interval95 = `95 % CI ${formatShare(low)} to ${formatShare(high)}`;
  return `${formatCount(count)} of ${counted(of_count, "A/A comparison")} (${formatShare(share)}, ${interval95})`;
}

/** Switches between states of the machine, which are no reason for alerts; `null` without any. */
export function knownStatesText({ known_state_changes: count }: MachineSummary): string | null {
  if (count === 0) return null;
  return `Switched between known states ${counted(count, "time")} in its newest 50 runs. These switches send no alerts.`;
}

/** Smaller changes round to zero. */
const SHARE_MIN = 0.0005;

/** The drift of a canary: `last 5 runs +11 % vs previous 25`. */
export function driftText(drift: Drift | null): string {
  if (drift === null) return "too few readings in this environment";
  const { share, before_count } = drift;
  const how = Math.abs(share) < SHARE_MIN ? "unchanged" : changeText(share);
  return `last 5 runs ${how} vs previous ${formatCount(before_count)}`;
}
