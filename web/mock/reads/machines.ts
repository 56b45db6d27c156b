/** The environments and canary readings of a machine. */
import type { MachineDay, RunSummary } from "@/api/types";
import { groupBy } from "@/lib/collections";
import { entryWith, type Mocks } from "../endpoint";
import { noise } from "../world/commits";
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
  "/api/v1/projects/{project}/machines/{machine}/history": (world, { path }) => {
    const { machine, runs } = historyOf(world, path);
    const days = groupBy(runs, ({ started_at }) => started_at.slice(0, 10));
    const measured = world.series.filter((entry) => entry.machine === machine);
    const transports = groupBy(measured, ({ summary }) => summary.transport.slug);
    return {
      machine: machine.machine,
      days: [...days].map(([day, within], place): MachineDay => {
        const ordinal = within.at(-1)?.commit.ordinal ?? 0;
        return {
          day,
          run_count: within.length,
          ...stateOf(machine, place),
          environment_id: machine.environmentAt(ordinal).environment_id,
          detectable_change: (days.size - place) % 2 === 0 ? null : detectableOf(machine, place),
        };
      }),
      transports: [...transports].map(([transport, cases], place) => ({
        transport,
        case_count: cases.length,
        detectable_change: detectableOf(machine, 100 + place),
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

/** The state of a machine on one of its days. */
function stateOf({ suspect_because }: Machine, place: number): Pick<MachineDay, "state" | "because"> {
  if (place < 2) return { state: "unknown", because: "too few canary readings" };
  if (suspect_because === null) return { state: "steady", because: null };
  if (place % 7 === 0) return { state: "suspect", because: suspect_because };
  if (place % 5 === 0) return { state: "drift", because: "canary wake +13 %" };
  if (place % 3 === 0) return { state: "known-state", because: "switched between known states" };
  return { state: "steady", because: null };
}

function detectableOf({ slowness }: Machine, place: number): number {
  return slowness * (0.014 + 0.012 * noise(place, 9));
}

function historyOf(
  world: World,
  path: { project: string; machine: string },
): { machine: Machine; runs: RunSummary[] } {
  const known = world.has(path.project) ? MACHINES : [];
  const machine = entryWith(known, "machine", path.machine);
  return { machine, runs: world.runs.filter((run) => run.machine === path.machine).toReversed() };
}
