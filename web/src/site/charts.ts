/** Charts over commits and over parameters: parts of the stored ones. */
import type {
  BudgetChart,
  BudgetSeries,
  ChangePointList,
  LineChart,
  LineSeries,
  SweepChart,
  SweptParameter,
} from "@/api/types";
import { ascending, distinct } from "@/lib/collections";
import { present } from "@/lib/search";
import { numbersOf } from "@/lib/statistics";
import {
  at,
  cutColumn,
  cutEnvironments,
  cutMarks,
  drawnPlaces,
  encoded,
  placesIn,
  type Range,
} from "./columns";
import { chartOf, seriesById, seriesList } from "./data";
import { type Answers, IMPORT, missing, numberIn, seriesIn, unknownSeries, valuesIn } from "./endpoint";
import { nameOf, read } from "./files";
import { heatMap } from "./heatMap";
import { matching } from "./series";

/** The default and the maximum number of points, as on the server. */
const LAST = 1_000;
const LAST_MAX = 10_000;
const DRAWN = 500;
const BUDGETS = 500;

type Asked = Partial<Record<"from" | "to" | "last" | "lines" | "branch", string>>;

export const charts = {
  "/api/v1/charts/line": async ({ query }) => {
    const range = rangeIn(query);
    const figures = {
      quantiles: valuesIn(query.quantiles) ?? ["p50", "p90", "p99"],
      repetitions: query.repetitions !== "false",
      rate: query.rate === "true",
    };
    const countMax = numberIn("points", query.points, DRAWN);
    const lines = seriesIn(query.series).map(async (id) =>
      cutLine(await lineOf(id), range, figures, countMax),
    );
    return { series: await Promise.all(lines) };
  },
  "/api/v1/charts/budget": async ({ query }) => {
    const range = { ...rangeIn(query), last: numberIn("last", query.last, BUDGETS) };
    const budgets = seriesIn(query.series).map(async (id) => {
      const [chart, line] = await Promise.all([chartOf<BudgetChart>("budget", id), lineOf(id)]);
      const [budget] = chart?.series ?? [];
      if (budget === undefined) throw unknownSeries(id);
      return cutBudget(budget, numbersOf(line.commit_ordinals), range);
    });
    return { series: await Promise.all(budgets) };
  },
  "/api/v1/charts/changes": async ({ query }) => {
    const ids = seriesIn(query.series);
    const series = await Promise.all(ids.map(seriesById));
    const lists = distinct(series.map(({ project }) => project)).map((project) =>
      read<ChangePointList>(nameOf("charts/changes", { project })),
    );
    const all = (await Promise.all(lists)).flatMap((list) => list?.change_points ?? []);
    return { change_points: all.filter(({ series_id }) => ids.includes(series_id)) };
  },
  "/api/v1/charts/heatmap": async ({ query }) => {
    const id = numberIn("series", query.series, 0);
    return heatMap(id, rangeIn(query), query.columns, await lineOf(id));
  },
  "/api/v1/projects/{project}/charts/sweep": async ({ path, query }): Promise<SweepChart> => {
    const { over, machine, scenario, mode, placement, commit } = query;
    if (commit !== undefined) {
      const detail = `This site has sweeps of the newest results only, not of commit ${commit}. ${IMPORT}`;
      throw missing("unknown-sweep", detail);
    }
    const place = present({ machine, scenario, mode, placement });
    const name = nameOf(`projects/${path.project}/charts/sweep`, { over, ...place });
    // Sites store the combinations that have series.
    const isMeasured = matching((await seriesList(path.project)).series, place).length > 0;
    const stored = isMeasured ? await read<SweepChart>(name) : null;
    return (
      stored ?? {
        over: over as SweptParameter,
        commit: null,
        distinguished_by: [],
        lines: [],
        crossovers: [],
      }
    );
  },
} satisfies Answers;

/** The stored line of a series: the main line, with all figures. */
async function lineOf(id: number): Promise<LineSeries> {
  const [line] = (await chartOf<LineChart>("line", id))?.series ?? [];
  if (line === undefined) throw unknownSeries(id);
  return line;
}

/** The range of a query. */
function rangeIn({ from, to, last, lines, branch }: Asked): Range {
  if (branch !== undefined || lines === "all") {
    throw missing("unknown-line", `This site has charts of the main line only. ${IMPORT}`);
  }
  const isRange = from !== undefined || to !== undefined;
  return {
    from: numberIn("from", from, 0),
    to: numberIn("to", to, Number.POSITIVE_INFINITY),
    last: numberIn("last", last, isRange ? LAST_MAX : LAST),
  };
}

type Figures = { quantiles: string[]; repetitions: boolean; rate: boolean };
type Quantiles = NonNullable<LineSeries["latency_ns"]>;
const QUANTILES = ["min", "p25", "p50", "p75", "p90", "p98", "p99", "p999", "max"] as const;

/** The points of a range, thinned if there are more than `countMax`. */
export function cutLine(line: LineSeries, range: Range, figures: Figures, countMax: number): LineSeries {
  const { latency_ns, repetition_p50_ns, bytes_per_second, stated } = line;
  const within = placesIn(numbersOf(line.commit_ordinals), range);
  const asked = QUANTILES.filter((name) => figures.quantiles.includes(name));
  const drawnBy =
    latency_ns === null
      ? [stated?.center]
      : distinct(["p50" as const, asked.at(-1) ?? "p50"]).map((name) => latency_ns[name]);
  const drawn = drawnPlaces(
    drawnBy.map((column) => at(numbersOf(column ?? []), within)),
    countMax,
  );
  const places = at(within, drawn);
  const hasPoints = places.length > 0;
  const isThinned = drawn.length < within.length;
  const column = (deltas: number[]) => cutColumn(deltas, places);
  const quantiles = (columns: Quantiles): Quantiles =>
    Object.fromEntries(asked.map((name) => [name, column(columns[name] ?? [])]));
  return {
    series_id: line.series_id,
    point_count: within.length,
    is_thinned: isThinned,
    kept: isThinned ? encoded(drawn) : null,
    commit_ordinals: column(line.commit_ordinals),
    environments: cutEnvironments(line.environments, line.commit_ordinals.length, places),
    work_tree_modified: cutMarks(line.work_tree_modified, places),
    lossy: cutMarks(line.lossy, places),
    // Without points, it has empty columns.
    latency_ns: latency_ns === null && hasPoints ? null : quantiles(latency_ns ?? {}),
    repetition_p50_ns:
      repetition_p50_ns && figures.repetitions && hasPoints
        ? {
            q1: column(repetition_p50_ns.q1),
            median: column(repetition_p50_ns.median),
            q3: column(repetition_p50_ns.q3),
          }
        : null,
    bytes_per_second: bytes_per_second && figures.rate && hasPoints ? column(bytes_per_second) : null,
    stated:
      stated && hasPoints
        ? {
            center: column(stated.center),
            low: cutColumn(stated.low, places),
            high: cutColumn(stated.high, places),
          }
        : null,
  };
}

/** The budgets of a range. `ordinals`: the commits of all points; those without a budget count for `last`, too. */
export function cutBudget(budget: BudgetSeries, ordinals: readonly number[], range: Range): BudgetSeries {
  const own = numbersOf(budget.commit_ordinals);
  const [oldest = range.from] = at(ordinals, placesIn(ordinals, range)).sort(ascending);
  const places = placesIn(own, { ...range, from: Math.max(range.from, oldest) });
  const cut = <Value>(columns: { mean: Value[]; q1: Value[]; q3: Value[] }) => ({
    mean: at(columns.mean, places),
    q1: at(columns.q1, places),
    q3: at(columns.q3, places),
  });
  const cutAll = <Columns extends Record<string, Parameters<typeof cut>[0]>>(all: Columns): Columns =>
    Object.fromEntries(Object.entries(all).map(([name, columns]) => [name, cut(columns)])) as Columns;
  return {
    series_id: budget.series_id,
    commit_ordinals: cutColumn(budget.commit_ordinals, places),
    parts_ns: cutAll(budget.parts_ns),
    events: cutAll(budget.events),
  };
}
