/** Projects with their counts and error rates. */
import { HttpResponse } from "msw";
import type {
  ClassErrorRates,
  CountedShare,
  ErrorRateList,
  HistoryErrorRates,
  ProjectSettings,
  ProjectSummary,
} from "@/api/types";
import { entryWith, listed, type Mocks } from "../endpoint";
import { noise } from "../world/commits";
import type { World } from "../world/world";

export const projects = {
  "/api/v1/projects": (world, { query }) =>
    listed(
      "projects",
      world.projects.map((project) => summary(world, project)),
      query,
    ),
  "/api/v1/projects/{project}": (world, { path: { project } }) =>
    summary(world, entryWith(world.projects, "project", project)),
  "/api/v1/projects/{project}/error-rates": (world, { path }) => errorRatesOf(world, path.project),
  // The mock has no new runs, so the stream has no events.
  "/api/v1/projects/{project}/events": () =>
    new HttpResponse(
      new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("retry: 3000\n\n")) }),
      { headers: { "content-type": "text/event-stream" } },
    ),
  "/api/v1/projects/{project}/machines": (world, { path, query }) =>
    listed("machines", world.machinesOf(path.project), query),
} satisfies Partial<Mocks<"get">>;

function summary(world: World, settings: ProjectSettings): ProjectSummary {
  const { project } = settings;
  const runs = world.has(project) ? world.runs : [];
  const [latest] = runs;
  return {
    ...settings,
    run_count: runs.length,
    series_count: world.has(project) ? world.series.length : 0,
    machine_count: world.machinesOf(project).length,
    commit_count: new Set(runs.map(({ commit }) => commit.sha)).size,
    last_run_at: latest?.started_at ?? null,
    latest_run: latest ?? null,
  };
}

const STEPS = [0.03, 0.05, 0.1, 0.25];
const DELAYS = [14, 8, 5, 4];

function counted(share: number, of_count: number): CountedShare {
  const count = Math.round(share * of_count);
  const exact = count / of_count;
  const half = 2 * Math.sqrt((Math.max(exact, 1 / of_count) * (1 - exact)) / of_count);
  return { count, of_count, share: exact, interval: [Math.max(0, exact - half), Math.min(1, exact + half)] };
}

function history(of: number, threshold = [0.01, 0.03]): HistoryErrorRates {
  return {
    threshold,
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
    untested_count: 12,
  };
}

/** The error rates of a project; none without series. */
function errorRatesOf(world: World, project: string): ErrorRateList {
  const total = {
    p50: history(1),
    p99: history(2),
    tail: history(3, [0.1, 0.1]),
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
      tail: history(30 * place + index, [0.1, 0.1]),
      comparisons: comparisons(10 * place + index),
    })),
  }));
  return { computed_at: machines[0]?.computed_at ?? null, machines, total };
}
