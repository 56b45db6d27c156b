/** Charts: lines over commits, heat maps, sweeps and change points. */
import type { BudgetSeries, HeatMapChart, LineSeries, Point, SweepChart } from "@/api/types";
import { encoded } from "@/site/columns";
import { between, type Mocks, only } from "../endpoint";
import { changesOf } from "../world/changes";
import { binsOf, budgetOf, STEPS_PER_DOUBLING, statedPointOf } from "../world/figures";
import type { MockSeries } from "../world/series";
import { isStated, type World } from "../world/world";
import { seriesIn, seriesOf } from "./series";

type Range = { last?: string; from?: string; to?: string };
type Figures = Range & { rate?: string; repetitions?: string };
type Quantile = keyof Point["latency_ns"];

export const charts = {
  "/api/v1/charts/budget": (world, { query }) => ({
    series: seriesIn(world, query.series).map((entry) => budgets(world, entry, query)),
  }),
  "/api/v1/charts/changes": (world, { query }) => ({
    change_points: changesOf(world, seriesIn(world, query.series)),
  }),
  "/api/v1/charts/heatmap": (world, { query }) => heatMap(world, seriesOf(world, query.series ?? ""), query),
  "/api/v1/charts/line": (world, { query }) => {
    const quantiles = (query.quantiles ?? "p50,p90,p99").split(",") as Quantile[];
    return {
      series: seriesIn(world, query.series).map((entry) =>
        isStated(entry) ? statedLine(world, entry) : measuredLine(world, entry, query, quantiles),
      ),
    };
  },
  "/api/v1/charts/ridges": (world, { query }) => ({
    steps_per_doubling: STEPS_PER_DOUBLING,
    series: seriesIn(world, query.series).map((entry) => {
      const { series_id, columns } = heatMap(world, entry, { last: "2" });
      return { series_id, columns };
    }),
  }),
  "/api/v1/projects/{project}/charts/sweep": (world, { query }) => sweep(world, query),
} satisfies Partial<Mocks<"get">>;

function inRange(points: Point[], range: Range): Point[] {
  return between(points, ({ commit_ordinal }) => commit_ordinal, range).slice(-Number(range.last ?? 1000));
}

function placesOf<Entry>(entries: Entry[], holds: (entry: Entry) => boolean): number[] {
  return entries.flatMap((entry, index) => (holds(entry) ? index : []));
}

function line(
  { summary }: MockSeries,
  points: { commit_ordinal: number; environment_id: number; work_tree_modified: boolean }[],
): Omit<LineSeries, "latency_ns" | "lossy" | "repetition_p50_ns" | "bytes_per_second" | "stated"> {
  const begins = placesOf(points, (point) => {
    const before = points[points.indexOf(point) - 1];
    return before?.environment_id !== point.environment_id;
  });
  return {
    series_id: summary.series_id,
    point_count: points.length,
    is_thinned: false,
    kept: null,
    commit_ordinals: encoded(points.map(({ commit_ordinal }) => commit_ordinal)),
    environments: begins.map((index) => ({ index, environment_id: points[index]?.environment_id ?? 0 })),
    work_tree_modified: placesOf(points, ({ work_tree_modified }) => work_tree_modified),
  };
}

function measuredLine(world: World, series: MockSeries, range: Figures, quantiles: Quantile[]): LineSeries {
  const points = inRange(world.pointsOf(series), range);
  const rates = points.flatMap(({ bytes_per_second }) => bytes_per_second ?? []);
  const column = (quantile: Quantile) => encoded(points.map(({ latency_ns }) => latency_ns[quantile]));
  const quartile = (name: keyof Point["repetition_p50_ns"]) =>
    encoded(points.map(({ repetition_p50_ns }) => repetition_p50_ns[name]));
  return {
    ...line(series, points),
    lossy: placesOf(points, ({ lossy }) => lossy),
    latency_ns: Object.fromEntries(quantiles.map((quantile) => [quantile, column(quantile)])),
    bytes_per_second: range.rate === "true" && rates.length > 0 ? encoded(rates) : null,
    repetition_p50_ns:
      range.repetitions !== "false"
        ? { q1: quartile("q1"), median: quartile("median"), q3: quartile("q3") }
        : null,
    stated: null,
  };
}

function statedLine(world: World, series: MockSeries): LineSeries {
  const points = world.runsOf(series).map((run) => statedPointOf(series, run));
  return {
    ...line(series, points),
    lossy: [],
    latency_ns: null,
    repetition_p50_ns: null,
    bytes_per_second: null,
    stated: {
      center: encoded(points.map(({ center_ns }) => center_ns)),
      low: encoded(points.map(({ low_ns }) => low_ns ?? 0)),
      high: encoded(points.map(({ high_ns }) => high_ns ?? 0)),
    },
  };
}

function budgets(world: World, series: MockSeries, range: Range): BudgetSeries {
  const points = inRange(world.pointsOf(series), range);
  const of = points.flatMap((point) => {
    const budget = budgetOf(series, point);
    return budget === null ? [] : [{ point, budget }];
  });
  type Found = (typeof of)[number]["budget"];
  const scaled = <Value extends number | null>(values: Value[], factor: number) =>
    values.map((value) => (value === null ? value : value * factor) as Value);
  const column = <Value extends number | null>(value: (budget: Found) => Value) => {
    const mean = of.map(({ budget }) => value(budget));
    return { mean, q1: scaled(mean, 0.97), q3: scaled(mean, 1.04) };
  };
  const part = (name: keyof Found["parts_ns"]) => column(({ parts_ns }) => parts_ns[name]);
  const event = (name: keyof Found["events"]) => column(({ events }) => events[name]);
  return {
    series_id: series.summary.series_id,
    commit_ordinals: encoded(of.map(({ point }) => point.commit_ordinal)),
    parts_ns: {
      sender_user: part("sender_user"),
      sender_kernel: part("sender_kernel"),
      receiver_user: part("receiver_user"),
      receiver_kernel: part("receiver_kernel"),
      ready: part("ready"),
      asleep: part("asleep"),
      overlap: part("overlap"),
    },
    events: {
      waits: event("waits"),
      preemptions: event("preemptions"),
      migrations: event("migrations"),
      page_faults: event("page_faults"),
    },
  };
}

function heatMap(world: World, series: MockSeries, range: Range): HeatMapChart {
  const points = inRange(world.pointsOf(series), range);
  const ordinals = encoded(points.map(({ commit_ordinal }) => commit_ordinal));
  const bins = points.map(binsOf);
  return {
    series_id: series.summary.series_id,
    point_count: points.length,
    commit_count: points.length,
    missing_count: 0,
    steps_per_doubling: STEPS_PER_DOUBLING,
    columns: {
      from_ordinals: ordinals,
      to_ordinals: ordinals,
      first_bins: encoded(bins.map(({ first }) => first)),
      counts: bins.map(({ counts }) => packed(counts)),
      lossy: placesOf(points, ({ lossy }) => lossy),
    },
  };
}

function packed(counts: number[]): number[] {
  const done: number[] = [];
  for (const count of counts) {
    const last = done.at(-1) ?? 0;
    if (count === 0 && last < 0) done[done.length - 1] = last - 1;
    else done.push(count === 0 ? -1 : count);
  }
  return done;
}

type SweepQuery = {
  over?: string;
  machine?: string;
  scenario?: string;
  mode?: string;
  placement?: string;
  commit?: string;
};

function sweep(world: World, query: SweepQuery): SweepChart {
  const over = query.over === "peers" ? "peers" : query.over === "senders" ? "senders" : "message_bytes";
  const matching = world.series.filter(
    ({ summary: { machine, case: kase }, isImported, unsupported }) =>
      !isImported &&
      unsupported === null &&
      machine === query.machine &&
      kase.scenario === query.scenario &&
      (query.mode === undefined || kase.mode === query.mode) &&
      (query.placement === undefined || kase.placement === query.placement),
  );
  const placements = new Set(matching.map(({ summary }) => summary.case.placement));
  const lines = new Map<string, SweepChart["lines"][number]>();
  for (const series of matching) {
    const { transport, methodology, case: kase, series_id } = series.summary;
    const point = world
      .pointsOf(series)
      .findLast(({ commit_sha }) => query.commit === undefined || commit_sha === query.commit);
    if (point === undefined) continue;
    const key = `${transport.slug} ${kase.placement}`;
    const of = lines.get(key) ?? {
      transport,
      methodology,
      parameters: { scenario: kase.scenario, mode: kase.mode, placement: kase.placement },
      distinguishing: {
        transport: transport.slug,
        ...(placements.size > 1 ? { placement: kase.placement } : {}),
      },
      points: [],
    };
    of.points.push({
      x: kase[over] ?? 1,
      series_id,
      ...only(point, "run_id", "commit_sha", "commit_ordinal", "environment_id", "work_tree_modified"),
      ...only(point, "lossy", "repetition_p50_ns", "bytes_per_second"),
      latency_ns: only(point.latency_ns, "p50", "p90", "p99"),
    });
    lines.set(key, of);
  }
  return {
    over,
    commit: query.commit === undefined ? null : (world.commit(query.commit) ?? null),
    distinguished_by: placements.size > 1 ? ["placement", "transport"] : ["transport"],
    lines: [...lines.values()],
    crossovers: [],
  };
}
