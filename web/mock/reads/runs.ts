/** Runs, their results and their files. */
import type { components } from "@/api/schema.gen";
import type { RunDetail, RunResult, RunSummary } from "@/api/types";
import { anImportedResult, anObserved, aPointDetail, aResult, aRun } from "@/test/fixtures";
import { entryWith, listed, type Mocks, Refusal, text } from "../endpoint";
import { histogramOf, pointOf, repetitionsOf, statedPointOf } from "../world/figures";
import { MACHINES } from "../world/machines";
import { canariesOf } from "../world/runs";
import type { MockSeries } from "../world/series";
import { isStated, type World } from "../world/world";
import { seriesOf } from "./series";

export const runs = {
  "/api/v1/projects/{project}/runs": (world, { path, query }) => {
    const asked = world.runs.filter(
      ({ project, machine, pull_request }) =>
        project === path.project &&
        (query.machine === undefined || query.machine === machine) &&
        (query.pull_request === undefined || query.pull_request === String(pull_request)),
    );
    return listed("runs", asked, query);
  },
  "/api/v1/runs/{run_id}": (world, { path, query }) => {
    const run = detail(world, runOf(world, path.run_id));
    const asked = query.series?.split(",").map(Number);
    return { ...run, results: run.results.filter(({ series_id }) => asked?.includes(series_id) ?? true) };
  },
  "/api/v1/runs/{run_id}/original": (world, { path }) => {
    const { preset } = runOf(world, path.run_id);
    if (preset !== "import") throw new Refusal(404, "unknown-file", "Not found", "The run was not imported.");
    return text("application/octet-stream", ORIGINAL);
  },
  "/api/v1/runs/{run_id}/report": (world, { path }) => reportOf(detail(world, runOf(world, path.run_id))),
  "/api/v1/runs/{run_id}/series/{series_id}": (world, { path }) => {
    const run = runOf(world, path.run_id);
    const series = seriesOf(world, path.series_id);
    if (series.unsupported !== null || isStated(series) || series.machine.machine !== run.machine) {
      throw new Refusal(404, "unknown-point", "Not found", "The run has no samples of the series.");
    }
    const point = pointOf(series, run);
    return aPointDetail({ point, histogram: histogramOf(point), repetitions: repetitionsOf(point) });
  },
} satisfies Partial<Mocks<"get">>;

/** The original file of an imported run. */
const ORIGINAL = '{"context":{"executable":"./mock"},"benchmarks":[]}\n';

function runOf(world: World, run_id: string): RunSummary {
  return entryWith(world.runs, "run_id", run_id);
}

function detail(world: World, run: RunSummary): RunDetail {
  const isImport = run.preset === "import";
  const own = world.series.filter(
    ({ machine, isImported }) => machine.machine === run.machine && isImported === isImport,
  );
  const machine = entryWith(MACHINES, "machine", run.machine);
  return aRun({
    run,
    ...machine.environmentAt(run.commit.ordinal),
    canaries: isImport ? [] : canariesOf(machine, run.commit),
    original: isImport ? { name: "bench.json", format: "google-benchmark", bytes: ORIGINAL.length } : null,
    results: own.map((series, index) => result(series, run, index < run.failure_count)),
  });
}

function result(series: MockSeries, run: RunSummary, hasFailed: boolean): RunResult {
  const { summary, unsupported } = series;
  const { series_id, transport, methodology, case: kase } = summary;
  const of = { series_id, transport, methodology, case: kase };
  if (unsupported !== null) return { ...aResult(), ...of, unsupported, point: null, observed: null };
  if (isStated(series)) {
    return { ...anImportedResult({ statistic: "median" }), ...of, summary: statedPointOf(series, run) };
  }
  const point = pointOf(series, run);
  const observed = anObserved({
    late: kase.rate_per_second == null ? null : 3,
    missed: kase.rate_per_second == null ? null : 0,
    cpu_ns_per_message: Math.round(point.latency_ns.p50 * 0.6),
    disturbed:
      point.disturbed_count === 0
        ? []
        : [{ reason: "another process took the CPU", repetition_count: point.disturbed_count }],
    deliveries: point.lossy
      ? [
          {
            delivered: point.delivered,
            lost: point.attempted - point.delivered,
            duplicated: 0,
            out_of_order: 0,
            torn: 0,
          },
        ]
      : [],
  });
  return {
    ...aResult({ point, observed: series.isImported ? null : observed }),
    ...of,
    failures: hasFailed ? [{ repetition: 4, reason: "peer did not respond within 10 s" }] : [],
  };
}

type RunReport = components["schemas"]["RunReport"];

/** The upload of a run, rebuilt from its details, without results: only a download shows it. */
function reportOf({ run, canaries, environment }: RunDetail): RunReport {
  const { sha, author, subject, committed_at } = run.commit;
  return {
    schema_version: 1,
    run_id: run.run_id,
    project: run.project,
    branch: run.branch,
    commit: { sha, author, subject, committed_at, parents: [] },
    history: [],
    work_tree_modified: run.work_tree_modified,
    machine: { slug: run.machine, os: "linux", arch: "x86-64" },
    environment,
    suite: {
      version: run.suite_version,
      build: run.build,
      preset: run.preset,
      order_seed: Number(run.order_seed),
    },
    started_at: run.started_at,
    finished_at: run.finished_at,
    canaries,
    results: [],
  };
}
