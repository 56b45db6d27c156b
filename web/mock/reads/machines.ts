/** The environments and canary readings of a machine. */
import type { RunSummary } from "@/api/types";
import { groupBy } from "@/lib/collections";
import { entryWith, type Mocks } from "../endpoint";
import { MACHINES, type Machine } from "../world/machines";
import { canariesOf } from "../world/runs";
import type { World } from "../world/world";

export const machines = {
  "/api/v1/projects/{project}/machines/{machine}/canaries": (world, { path, query }) => {
    const { machine, runs } = historyOf(world, path);
    return {
      machine: machine.machine,
      readings: runs.slice(-Number(query.last ?? 200)).map(({ run_id, started_at, commit }) => ({
        run_id,
        started_at,
        commit_ordinal: commit.ordinal,
        environment_id: machine.environmentAt(commit.ordinal).environment_id,
        p50_ns: Object.fromEntries(
          canariesOf(machine, commit).flatMap(({ slug, p50_ns }) => (p50_ns == null ? [] : [[slug, p50_ns]])),
        ),
      })),
    };
  },
  "/api/v1/projects/{project}/machines/{machine}/environments": (world, { path }) => {
    const { machine, runs } = historyOf(world, path);
    const spans = groupBy(runs, ({ commit }) => machine.environmentAt(commit.ordinal).environment_id);
    return {
      environments: [...spans].reverse().map(([environment_id, within]) => ({
        environment_id,
        first_run_at: within[0]?.started_at ?? "",
        last_run_at: within.at(-1)?.started_at ?? "",
        run_count: within.length,
        stable: machine.environmentAt(within[0]?.commit.ordinal ?? 0).environment.stable,
      })),
    };
  },
} satisfies Partial<Mocks<"get">>;

function historyOf(
  world: World,
  path: { project: string; machine: string },
): { machine: Machine; runs: RunSummary[] } {
  const known = world.has(path.project) ? MACHINES : [];
  const machine = entryWith(known, "machine", path.machine);
  return { machine, runs: world.runs.filter((run) => run.machine === path.machine).toReversed() };
}
