/** How often what is said of the mock's machines would be wrong: counted shares of plausible size. */
import type { ClassErrorRates, CountedShare, ErrorRateList, HistoryErrorRates } from "@/api/types";
import { noise } from "../world/noise";
import type { World } from "../world/world";

/** The steps that are tried, and how many points after them they are told. */
const STEPS = [0.03, 0.05, 0.1, 0.25];
const DELAYS = [14, 8, 5, 4];

function counted(share: number, of_count: number): CountedShare {
  const count = Math.round(share * of_count);
  const exact = count / of_count;
  const half = 2 * Math.sqrt((Math.max(exact, 1 / of_count) * (1 - exact)) / of_count);
  return { count, of_count, share: exact, interval: [Math.max(0, exact - half), Math.min(1, exact + half)] };
}

function history(of: number): HistoryErrorRates {
  return {
    false_alarms: counted(0.00004 * noise(of), 240_000),
    steps: STEPS.map((change, index) => ({
      change,
      found: counted(Math.min(1, 0.62 + 0.13 * index + 0.05 * noise(of, index)), 400),
      median_delay_points: DELAYS[index] ?? null,
    })),
  };
}

function comparisons(of: number): ClassErrorRates["comparisons"] {
  return {
    false_verdicts: counted(0.003 * noise(of, 7), 2_000),
    changes: STEPS.slice(1, 3).map((change, index) => ({ change, found: counted(0.7 + 0.2 * index, 400) })),
    untold_count: 12,
  };
}

/** The error rates of a project; of one that has nothing, none. */
export function errorRatesOf(world: World, project: string): ErrorRateList {
  const total = {
    p50: history(1),
    p99: history(2),
    comparisons: comparisons(1),
    false_comparisons: counted(0.01, 300),
  };
  const machines = world.machinesOf(project).map(({ machine, last_run_at }, place) => ({
    machine,
    computed_at: last_run_at,
    false_comparisons: counted(0.01 + 0.02 * place, 150),
    classes: ["pipe", "ring-futex", "tcp", "unix-stream"].map((transport, index) => ({
      transport,
      scenario: "roundtrip",
      series_count: 14,
      p50: history(10 * place + index),
      p99: history(20 * place + index),
      comparisons: comparisons(10 * place + index),
    })),
  }));
  return { computed_at: machines[0]?.computed_at ?? null, machines, total };
}
