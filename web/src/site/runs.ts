/** Runs with their results, and points of series. */
import type { PointDetail, PointList, RunDetail } from "@/api/types";
import { ascending } from "@/lib/collections";
import { commitList, extentOf, mainRuns, seriesById } from "./data";
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
    const run = await read<RunDetail>(`runs/${path.run_id}`);
    if (run === null) throw await noDetails();
    if (query.series === undefined) return run;
    const ids = seriesIn(query.series);
    return { ...run, results: run.results.filter(({ series_id }) => ids.includes(series_id)) };
  },
  "/api/v1/runs/{run_id}/series/{series_id}": async ({ path: { run_id, series_id } }) => {
    const details = await read<Details>(`runs/${run_id}/series`);
    if (details === null) throw await noDetails();
    const point = details[series_id];
    if (point === undefined)
      throw missing("unknown-point", `Run ${run_id} has no result in series ${series_id}.`);
    return point;
  },
} satisfies Answers;

async function noDetails() {
  const { detailed_runs } = await extentOf();
  const has = `This site has details of the newest ${detailed_runs} runs and those at regressions.`;
  return missing("unknown-run", `${has} Charts show the points of the others. ${IMPORT}`);
}

type Range = { from: number; to: number; limit: number; isMain: boolean };

/** The newest points of a series in a range, with their commits. */
async function pointsOf(series_id: number, { from, to, limit, isMain }: Range): Promise<PointList> {
  const [stored, { project }] = await Promise.all([
    read<PointList>(nameOf("points", { series: series_id })),
    seriesById(series_id),
  ]);
  const [all] = stored?.series ?? [];
  const main = isMain ? await mainRuns(project) : null;
  const within = ({ commit_ordinal }: { commit_ordinal: number }) =>
    commit_ordinal >= from && commit_ordinal <= to;
  const points = (all?.points ?? [])
    .filter((point) => within(point) && (main?.has(point.run_id) ?? true))
    .slice(-limit);
  const summaries = (all?.summaries ?? []).filter(within).slice(-limit);
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
