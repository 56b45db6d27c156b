/** Comparisons for tests: plausible wholes, of which a test names only what it is about. */
import type { Comparison, ComparisonPair, MeasuredSide, PullRequestSummary } from "@/api/types";
import { aCommit, aMethodology, aRunSummary, aSeries, aTransport } from "./fixtures";

/** A pair that was compared and did not change. */
export function aPair(
  change: Partial<Omit<ComparisonPair, "case" | "transport">> & {
    transport?: string;
    case?: Partial<ComparisonPair["case"]>;
  } = {},
): ComparisonPair {
  const { transport = "pipe", case: kase, ...rest } = change;
  return {
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
    verdict: "no change",
    least_change: 0.01,
    undecided: null,
    p90: null,
    p99: null,
    shape: null,
    differences: [],
    reasons: [],
    ...rest,
  };
}

/** What one side of a pair measured. */
export function aSide(change: Partial<MeasuredSide> = {}): MeasuredSide {
  return {
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
    ...change,
  };
}

export function aComparison(pairs: ComparisonPair[], change: Partial<Comparison> = {}): Comparison {
  return {
    base: { commit: aCommit({ sha: "a".repeat(40), ordinal: 30 }), run_id: null },
    head: {
      commit: aCommit({ sha: "b".repeat(40), ordinal: 31, subject: "ring: two copies" }),
      run_id: null,
    },
    pairs,
    ...change,
  };
}

export function aPullRequest(change: Partial<PullRequestSummary> = {}): PullRequestSummary {
  const head = aCommit({ sha: "b".repeat(40), ordinal: 31, subject: "ring: two copies" });
  return {
    pull_request: 42,
    head,
    merge_base: aCommit({ sha: "a".repeat(40), ordinal: 30 }),
    merge_base_is_certain: true,
    run_count: 2,
    latest_run: aRunSummary({ commit: head, pull_request: 42, branch: "topic" }),
    ...change,
  };
}
