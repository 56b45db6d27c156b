/** Canaries, health and queue of machines. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { agentsQuery, canariesQuery, jobsQuery } from "@/api/queries";
import type { MachineSummary, RunSummary } from "@/api/types";
import { groupBy } from "./collections";
import { useNow } from "./hooks";
import { healthOf } from "./machines";
import { OPEN, queueOf } from "./queue";
import { isSite } from "./site";

/** The time for judging machines: now, or that of the newest run on a static site, because it gets no others. */
export function useDataTime(machines: readonly MachineSummary[]): Date {
  const now = useNow();
  if (!isSite() || machines.length === 0) return now;
  return new Date(Math.max(...machines.map(({ last_run_at }) => Date.parse(last_run_at))));
}

/** Returns what is loaded so far. `runs`: the newest of all machines. */
export function useFleet(project: string, machines: MachineSummary[], runs: RunSummary[]) {
  const now = useDataTime(machines);
  const answers = useQueries({ queries: machines.map(({ machine }) => canariesQuery(project, machine)) });
  const { data: agents } = useQuery(agentsQuery(project));
  const { data: jobs } = useQuery(jobsQuery(project, OPEN));
  const readings = new Map(
    machines.map(({ machine }, index) => [machine, answers[index]?.data?.readings ?? []]),
  );
  const ofMachines = groupBy(runs, ({ machine }) => machine);
  return {
    readings,
    healths: new Map(
      machines.map((summary) => {
        const { machine } = summary;
        const agent = agents?.find((entry) => entry.machine === machine);
        const health = healthOf(
          summary,
          agent,
          readings.get(machine) ?? [],
          ofMachines.get(machine) ?? [],
          now,
        );
        return [machine, health] as const;
      }),
    ),
    queue: queueOf(jobs?.jobs ?? []),
  };
}
