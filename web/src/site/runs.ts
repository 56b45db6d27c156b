/** Runs with their results, and points of series. */
import type { Point, PointDetail, PointList, RunDetail, RunSummary, StatedPoint } from "@/api/types";
import { ascending } from "@/lib/collections";
import { newest } from "./columns";
import { commitList, detailedRuns, extentOf, mainRuns, runList, seriesById } from "./data";
import { type Answers, IMPORT, missing, numberIn, seriesIn } from "./endpoint";
import { nameOf, read } from "./files";

/** The default and the maximum number of points, as on the server. */
const LIMIT = 500;
const OF_ALL_MAX = 20_000;

type Details = Record<string, PointDetail>;

export const runs = {
  "/api/v1/points": async ({ query }) => {
    const ids = seriesIn(query.series);
    const range = {
      from: numberIn("from", query.from, 0),
      to: numberIn("to", query.to, Number.POSITIVE_INFINITY),
      limit: numberIn("limit", query.limit, Math.min(LIMIT, Math.floor(OF_ALL_MAX / ids.length))),
      isMain: query.lines === "main",
    };
    return merged(await Promise.all(ids.map((id) => pointsOf(id, range))));
  },
  "/api/v1/runs/{run_id}": async ({ path, query }) => {
    const run = await detailsOf<RunDetail>(path.run_id, `runs/${path.run_id}`);
    if (query.series === undefined) return run;
    const ids = seriesIn(query.series);
    return { ...run, results: run.results.filter(({ series_id }) => ids.includes(series_id)) };
  },
  "/api/v1/runs/{run_id}/series/{series_id}": async ({ path: { run_id, series_id } }) => {
    const details = await detailsOf<Details>(run_id, `runs/${run_id}/series`);
    const point = details[series_id];
    if (point === undefined)
      throw missing("unknown-point", `Run ${run_id} has no result in series ${series_id}.`);
    return point;
  },
} satisfies Answers;

/** A file of a run. It is only requested if the site has it, because browsers report missing files as errors. */
async function detailsOf<Contents>(run_id: string, name: string): Promise<Contents> {
  const isDetailed = (await detailedRuns()).includes(run_id);
  const details = isDetailed ? await read<Contents>(name) : null;
  if (details !== null) return details;
  const { detailed_runs } = await extentOf();
  const has = `This site has details of the newest ${detailed_runs} runs per project and of runs at regressions.`;
  throw missing("unknown-run", `${has} Charts show the points of the others. ${IMPORT}`);
}

/** A stored point: `run` is the place of its run, from the oldest. The list of runs has the other members. */
type Stored<Entry extends Point | StatedPoint> = { run: number } & Omit<
  Entry,
  "run_id" | "commit_sha" | "commit_ordinal" | "measured_at" | "work_tree_modified"
>;
type StoredPoints = { points: Stored<Point>[]; summaries: Stored<StatedPoint>[] };

/** The stored points with the members of their runs. */
function withRuns<Entry extends Point | StatedPoint>(
  stored: readonly Stored<Entry>[],
  runs: readonly RunSummary[],
): Entry[] {
  return stored.flatMap(({ run, ...point }) => {
    const found = runs.at(-1 - run);
    if (found === undefined) return [];
    const { run_id, commit, started_at, work_tree_modified } = found;
    const of_run = { run_id, commit_sha: commit.sha, commit_ordinal: commit.ordinal };
    return { ...point, ...of_run, measured_at: started_at, work_tree_modified } as unknown as Entry;
  });
}

type Range = { from: number; to: number; limit: number; isMain: boolean };

/** The newest points of a series in a range, with their commits. */
async function pointsOf(series_id: number, { from, to, limit, isMain }: Range): Promise<PointList> {
  const [stored, { project }] = await Promise.all([
    read<StoredPoints>(nameOf("points", { series: series_id })),
    seriesById(series_id),
  ]);
  const { runs } = await runList(project);
  const main = isMain ? await mainRuns(project) : null;
  const within = ({ commit_ordinal }: { commit_ordinal: number }) =>
    commit_ordinal >= from && commit_ordinal <= to;
  const measured = withRuns<Point>(stored?.points ?? [], runs);
  const isOnLine = ({ run_id }: Point) => main?.has(run_id) ?? true;
  const points = newest(
    measured.filter((point) => within(point) && isOnLine(point)),
    limit,
  );
  const summaries = newest(withRuns<StatedPoint>(stored?.summaries ?? [], runs).filter(within), limit);
  const shas = new Set([...points, ...summaries].map(({ commit_sha }) => commit_sha));
  const { commits } = await commitList(project);
  return {
    commits: commits.filter(({ sha }) => shas.has(sha)),
    series: [{ series_id, points, summaries }],
  };
}

/** The lists of several series as one. */
function merged(lists: readonly PointList[]): PointList {
  const commits = new Map(lists.flatMap((list) => list.commits).map((commit) => [commit.sha, commit]));
  return {
    commits: [...commits.values()].sort((a, b) => a.ordinal - b.ordinal || ascending(a.sha, b.sha)),
    series: lists.flatMap(({ series }) => series),
  };
}
