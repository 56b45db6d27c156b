/** Complete comparisons for tests; a test sets only the relevant fields. */
import type * as Api from "@/api/types";
import { summaryOf } from "@/site/comparison";
import {
  aCommit,
  aMethodology,
  aPoint,
  aRunSummary,
  aSeries,
  aTransport,
  builder,
  type CaseChange,
} from "./fixtures";

/** An unchanged pair; its kind is computed from the other fields. */
export function aPair(change: CaseChange<Omit<Api.ComparisonPair, "kind">> = {}): Api.ComparisonPair {
  const { transport = "pipe", case: kase, ...rest } = change;
  const pair = {
    transport: aTransport(transport),
    case: aSeries({ case: kase ?? {} }).case,
    base: aSide(),
    head: aSide({ series_id: 1, run_id: "019aa8f0-5c1e-7b3a-9f00-000000000002" }),
    ratio: 1,
    change: 0.001,
    change_interval: [-0.004, 0.006],
    p: 0.6,
    p_adjusted: 0.9,
    t: 0.2,
    stars: "",
    verdict: "no change" as const,
    paired: false,
    least_change: 0.01,
    detectable_change: 0.024,
    undecided: null,
    repetitions_needed: null,
    p90: null,
    p99: null,
    shape: null,
    differences: [],
    reasons: [],
    ...rest,
  };
  return { ...pair, kind: kindOf(pair) };
}

/** The summary of a pair, as the server computes it. */
function kindOf({ verdict, p90, p99, shape }: Omit<Api.ComparisonPair, "kind">): Api.PairKind {
  const isElsewhere = [p90, p99].some((extra) => extra?.verdict != null) || shape?.changed === true;
  switch (verdict) {
    case "not comparable":
      return "not-comparable";
    case "regressed":
      return "slower";
    case "improved":
      return "faster";
    case "inconclusive":
      return isElsewhere ? "elsewhere" : "inconclusive";
    case "no change":
      return isElsewhere ? "elsewhere" : "unchanged";
  }
}

export const aSide = builder<Api.MeasuredSide>({
  series_id: 1,
  machine: "lab-1",
  methodology: aMethodology(),
  run_id: "019aa8f0-5c1e-7b3a-9f00-000000000001",
  environment_id: 1,
  work_tree_modified: false,
  lossy: false,
  latency_ns: { p50: 4000, p90: 4400, p99: 8000 },
  repetition_p50_ns: { q1: 3900, median: 4000, q3: 4100 },
  bytes_per_second: null,
  interval_ns: [3950, 4050],
  repetitions: {
    p50_ns: [3900, 3950, 4000, 4050, 4100],
    p90_ns: [4300, 4350, 4400, 4450, 4500],
    p99_ns: [7900, 7950, 8000, 8050, 8100],
  },
});

/** A comparison of these pairs: counted, by kind, largest changes first. */
export function aComparison(
  pairs: Api.ComparisonPair[],
  change: Partial<Api.Comparison> = {},
): Api.Comparison {
  return {
    base: {
      commit: aCommit({ sha: "a".repeat(40), ordinal: 30 }),
      run_id: null,
      case_count: pairs.filter(({ base }) => base !== null).length,
    },
    head: {
      commit: HEAD,
      run_id: null,
      case_count: pairs.filter(({ head }) => head !== null).length,
    },
    ...summaryOf(pairs),
    machines: [],
    pairs: pairs.toSorted((one, other) => Math.abs(other.change ?? 0) - Math.abs(one.change ?? 0)),
    ...change,
  };
}

/** The movement of a machine, by default of one canary by 0.4 %. */
export function aMovement(change: Partial<Api.Movement> = {}): Api.Movement {
  const { movement = 0.004 } = change;
  const references = change.references ?? [{ kind: "canary", name: "wake", change: movement }];
  return {
    comparable: movement <= 0.1,
    limits_verdicts: movement > 0.01,
    movement,
    moved_count: references.length,
    references,
    ...change,
  };
}

export const countsOf = (pairs: readonly Api.ComparisonPair[]) => summaryOf(pairs).counts;

const HEAD = aCommit({ sha: "b".repeat(40), ordinal: 31, subject: "ring: two copies" });

export const aPullRequest = builder<Api.PullRequestSummary>({
  pull_request: 42,
  head: HEAD,
  merge_base: aCommit({ sha: "a".repeat(40), ordinal: 30 }),
  merge_base_is_certain: true,
  run_count: 2,
  latest_run: aRunSummary({ commit: HEAD, pull_request: 42, branch: "topic" }),
});

/** A line of a sweep: its median by the swept parameter; p90 is 10 % and p99 100 % above it. */
export function aSweepLine(
  transport: string,
  medians: Record<number, number>,
  change: Partial<Omit<Api.SweepLine, "transport" | "methodology">> & {
    methodology?: Partial<Api.Methodology>;
    point?: Partial<Api.SweepPoint>;
  } = {},
): Api.SweepLine {
  const { methodology, point, ...rest } = change;
  return {
    transport: aTransport(transport),
    methodology: { ...aMethodology(), ...methodology },
    parameters: { mode: "2proc", peers: "1", placement: "same-cpu", scenario: "roundtrip" },
    distinguishing: { transport },
    points: Object.entries(medians).map(([x, p50]) => ({
      x: Number(x),
      series_id: 1,
      run_id: aPoint().run_id,
      commit_sha: aPoint().commit_sha,
      commit_ordinal: 1,
      environment_id: 1,
      work_tree_modified: false,
      lossy: false,
      latency_ns: { p50, p90: p50 * 1.1, p99: p50 * 2 },
      repetition_p50_ns: { q1: p50 * 0.98, median: p50, q3: p50 * 1.02 },
      bytes_per_second: null,
      ...point,
    })),
    ...rest,
  };
}

export function aSweep(lines: Api.SweepLine[], change: Partial<Api.SweepChart> = {}): Api.SweepChart {
  return {
    over: "message_bytes",
    commit: null,
    distinguished_by: ["transport"],
    lines,
    crossovers: [],
    ...change,
  };
}

/** A transport with its median; p98, p99 and the mean are above it. */
export function aRankedTransport(
  slug: string,
  p50: number,
  change: Partial<Api.RankedTransport> = {},
): Api.RankedTransport {
  const { run_id, commit_sha } = aPoint();
  return {
    transport: aTransport(slug),
    distinguishing: {},
    receive: "block",
    latency_ns: { mean: p50 * 1.1, p50, p98: p50 * 1.5, p99: p50 * 2 },
    cpu_ns_per_message: null,
    wakes_per_message: null,
    cpus: null,
    wakes_per_second: null,
    behind_first: null,
    below_measured_share: 0,
    above_measured_share: 0,
    measured: [16, 1024].map((message_bytes, index) => ({
      message_bytes,
      series_id: index + 1,
      run_id,
      commit_sha,
      p50_ns: p50,
      p98_ns: p50,
      p99_ns: p50,
    })),
    ...change,
  };
}

export function anAdviceGroup(
  ranking: Api.RankedTransport[],
  change: Partial<Api.AdviceGroup> = {},
): Api.AdviceGroup {
  return {
    machine: "lab-1",
    environment_id: 1,
    case: { scenario: "roundtrip", mode: "2proc", placement: "same-cpu" },
    oversubscribed: false,
    answer: "Pipe: median round trip 4.00 µs. Next: TCP, 2.25x the time.",
    ranking,
    not_ranked: [],
    crossovers: [],
    would_change: [],
    ...change,
  };
}
