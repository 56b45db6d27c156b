/** The comparison of two commits or runs. */
import type { CommitSummary, Comparison, ComparisonPair, MeasuredSide, RunSummary } from "@/api/types";
import { distinct, groupBy } from "@/lib/collections";
import { aComparison, aMovement, aPair, aSide } from "@/test/comparisons";
import { found, type Mocks, only } from "../endpoint";
import { noise } from "../world/commits";
import { pointOf, repetitionsOf } from "../world/figures";
import type { MockSeries } from "../world/series";
import { isStated, type World } from "../world/world";

export const comparison = {
  "/api/v1/projects/{project}/compare": (world, { query }) => {
    const [base, head] = [sideOf(world, query.base ?? ""), sideOf(world, query.head ?? "")];
    const words = (query.q ?? "").split(" ");
    const all = world.series
      .filter((series) => series.unsupported === null && !series.isImported && !isStated(series))
      .filter(({ machine }) => machine.machine === (query.machine ?? machine.machine))
      .filter(({ summary: { transport, machine, case: kase } }) => {
        const text = [transport.slug, machine, kase.scenario, kase.placement, kase.message_bytes].join(" ");
        return words.every((word) => text.includes(word));
      })
      .flatMap((series) => pairOf(series, base.runs, head.runs));
    const names = distinct(
      all.flatMap(({ kind, head }) => (kind === "not-comparable" ? [] : (head?.machine ?? []))),
    );
    const machines = names.map((machine) => ({
      machine,
      moved: aMovement({ movement: MOVEMENTS[machine] ?? 0.004 }),
    }));
    const result = aComparison(all, { machines });
    const kinds = query.kind?.split(",");
    const wanted = result.pairs.filter(({ kind }) => kinds?.includes(kind) ?? true);
    const limit = Number(query.limit ?? all.length);
    return {
      ...result,
      base: { ...result.base, ...base.side },
      head: { ...result.head, ...head.side },
      pairs: [...groupBy(wanted, ({ kind }) => kind).values()].flatMap((group) => group.slice(0, limit)),
    };
  },
} satisfies Partial<Mocks<"get">>;

type Side = { side: Pick<Comparison["base"], "commit" | "run_id">; runs: RunSummary[] };

function sideOf(world: World, name: string): Side {
  const run = world.runs.find(({ run_id }) => run_id === name);
  if (run !== undefined) return { side: { commit: run.commit, run_id: run.run_id }, runs: [run] };
  const commit: CommitSummary = found(world.commit(name), "commit", name);
  const runs = world.runs.filter((entry) => entry.commit.sha === commit.sha && entry.preset !== "import");
  return { side: { commit, run_id: null }, runs };
}

function measured(series: MockSeries, run: RunSummary): MeasuredSide {
  const point = pointOf(series, run);
  const { p50 } = point.latency_ns;
  const repetitions = repetitionsOf(point);
  return aSide({
    series_id: series.summary.series_id,
    machine: series.machine.machine,
    methodology: series.summary.methodology,
    run_id: run.run_id,
    ...only(point, "environment_id", "lossy", "repetition_p50_ns", "bytes_per_second"),
    latency_ns: only(point.latency_ns, "p50", "p90", "p99"),
    interval_ns: [Math.round(p50 * 0.99), Math.round(p50 * 1.012)],
    repetitions: {
      p50_ns: repetitions.map(({ p50_ns }) => p50_ns),
      p90_ns: repetitions.map(({ p50_ns }) => Math.round(p50_ns * 1.1)),
      p99_ns: repetitions.map(({ p99_ns }) => p99_ns),
    },
  });
}

function pairOf(series: MockSeries, bases: RunSummary[], heads: RunSummary[]): ComparisonPair[] {
  const { transport, case: kase } = series.summary;
  const own = ({ machine }: RunSummary) => machine === series.machine.machine;
  const [baseRun, headRun] = [bases.find(own), heads.find(own)];
  if (baseRun === undefined && headRun === undefined) return [];
  const base = baseRun === undefined ? null : measured(series, baseRun);
  const head = headRun === undefined ? null : measured(series, headRun);
  const pair = (change: Parameters<typeof aPair>[0]) => [
    { ...aPair({ case: kase, base, head, ...change }), transport },
  ];
  if (base === null || head === null) {
    const missing = base === null ? "base" : "head";
    return pair({ ...NOT_COMPARED, reasons: [`the ${missing} has no run on ${series.machine.machine}`] });
  }
  if (base.environment_id !== head.environment_id) {
    const kernel = (run: RunSummary | undefined) =>
      series.machine.environmentAt(run?.commit.ordinal ?? 0).environment.stable["os.kernel"] ?? "";
    const difference = { what: "environment.os.kernel", base: kernel(baseRun), head: kernel(headRun) };
    return pair({ ...NOT_COMPARED, differences: [difference] });
  }
  return pair(statistics(base, head));
}

const NOT_COMPARED = {
  verdict: "not comparable",
  ratio: null,
  change: null,
  change_interval: null,
  p: null,
  p_adjusted: null,
  t: null,
  paired: false,
  least_change: null,
  detectable_change: null,
} satisfies Partial<ComparisonPair>;

/** Machines that moved by more than 0.4 % between the sides. */
const MOVEMENTS: Record<string, number> = { "lab-arm-1": 0.057 };

/** The threshold for changes. */
const LEAST_CHANGE = 0.05;

function statistics(
  base: MeasuredSide,
  head: MeasuredSide,
): Partial<Omit<ComparisonPair, "kind" | "transport">> {
  const ratio = head.repetition_p50_ns.median / base.repetition_p50_ns.median;
  const change = ratio - 1;
  const isChanged = Math.abs(change) >= LEAST_CHANGE;
  const isUndecided = !isChanged && noise(base.series_id, head.latency_ns.p50) > 0.93;
  const verdict = isChanged
    ? change > 0
      ? "regressed"
      : "improved"
    : isUndecided
      ? "inconclusive"
      : "no change";
  const tail: ComparisonPair["p99"] = {
    change,
    change_interval: [change - 0.02, change + 0.02],
    p_adjusted: isChanged ? 0.002 : 0.6,
    verdict: isChanged ? verdict : null,
  };
  return {
    verdict,
    ratio,
    change,
    change_interval: [change - 0.012, change + 0.012],
    p: isChanged ? 0.0001 : 0.4,
    p_adjusted: isChanged ? 0.0008 : 0.7,
    t: -change * (isChanged ? 60 : 20),
    stars: isChanged ? "***" : "",
    paired: false,
    least_change: LEAST_CHANGE,
    detectable_change: LEAST_CHANGE + (MOVEMENTS[head.machine] ?? 0.004) + 0.03 * noise(base.series_id, 1),
    undecided: isUndecided
      ? "too noisy to detect 5 %: interval -4 % to +6 %; needs about 14 more repetitions per side"
      : null,
    repetitions_needed: isUndecided ? 14 : null,
    p90: tail,
    p99: tail,
    shape: { changed: false, difference: null, p_adjusted: 0.8 },
  };
}
