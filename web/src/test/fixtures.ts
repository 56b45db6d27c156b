/** Complete API responses for tests; a test sets only the relevant fields. */
import type * as Api from "@/api/types";

/** Creates a builder of objects with defaults. */
export const builder =
  <Answer extends object>(usual: Answer) =>
  (change: Partial<Answer> = {}): Answer => ({ ...usual, ...change });

/** Changes to a series, result or pair: a transport by its slug, and parts of the case. */
export type CaseChange<Whole extends { case: object }> = Partial<Omit<Whole, "case" | "transport">> & {
  transport?: string;
  case?: Partial<Whole["case"]>;
};

export const aCommit = builder<Api.CommitSummary>({
  sha: "1".repeat(40),
  ordinal: 1,
  subject: "pool: reuse send buffers",
  author: "A. Author",
  committed_at: "2026-11-14T10:42:00Z",
});

/** Fields that points and stated values share. */
const PLACE = {
  run_id: "019aa8f0-5c1e-7b3a-9f00-000000000001",
  commit_sha: "1".repeat(40),
  commit_ordinal: 1,
  work_tree_modified: false,
  measured_at: "2026-11-14T11:00:00Z",
  environment_id: 1,
};

export const aPoint = builder<Api.Point>({
  ...PLACE,
  latency_ns: latency(4000),
  count: 2000,
  sum_ns: 8_000_000,
  repetition_count: 10,
  failure_count: 0,
  disturbed_count: 0,
  repetition_p50_ns: { q1: 3900, median: 4000, q3: 4100 },
  bytes_per_second: null,
  attempted: 2000,
  accepted: 2000,
  delivered: 2000,
  lossy: false,
});

/** The same budget at each ordinal: 10 µs with 1 µs of overlap, half of it in the sender. */
export function aBudgetSeries(ordinals: number[], change: Partial<Api.BudgetSeries["parts_ns"]> = {}) {
  const column = (mean: number) => ({
    mean: ordinals.map(() => mean),
    q1: ordinals.map(() => 0.9 * mean),
    q3: ordinals.map(() => 1.1 * mean),
  });
  const unknown = ordinals.map(() => null);
  return {
    series_id: 1,
    commit_ordinals: ordinals.map((ordinal, place) => ordinal - (ordinals[place - 1] ?? 0)),
    parts_ns: {
      sender_user: column(500),
      sender_kernel: column(5000),
      receiver_user: column(500),
      receiver_kernel: column(3900),
      ready: column(1000),
      asleep: column(100),
      overlap: column(1000),
      ...change,
    },
    events: {
      waits: column(2),
      preemptions: column(0.00002),
      migrations: { mean: unknown, q1: unknown, q3: unknown },
      page_faults: column(0),
    },
  } satisfies Api.BudgetSeries;
}

export function latency(p50: number): Api.Point["latency_ns"] {
  return {
    min: p50 * 0.9,
    p25: p50 * 0.95,
    p50,
    p75: p50 * 1.05,
    p90: p50 * 1.1,
    p98: p50 * 1.5,
    p99: p50 * 2,
    p999: p50 * 4,
    max: p50 * 8,
  };
}

const CASE = { scenario: "roundtrip", message_bytes: 1024, peers: 1, mode: "2proc", placement: "same-cpu" };

export function aSeries(change: CaseChange<Api.SeriesSummary> = {}): Api.SeriesSummary {
  const { transport = "pipe", case: kase, ...rest } = change;
  return {
    series_id: 1,
    project: "libfoo",
    machine: "lab-linux-1",
    transport: aTransport(transport),
    case: { ...CASE, ...kase },
    methodology: aMethodology(),
    latest: aPoint(),
    latest_summary: null,
    ...rest,
  };
}

export function aResult(change: CaseChange<Api.RunResult> = {}): Api.RunResult {
  const { transport = "pipe", case: kase, ...rest } = change;
  return {
    series_id: 1,
    transport: aTransport(transport),
    case: { ...CASE, ...kase },
    methodology: aMethodology(),
    point: aPoint(),
    summary: null,
    observed: anObserved(),
    counters: {},
    facts: {},
    failures: [],
    unsupported: null,
    ...rest,
  };
}

/** Fields that imported series and results share: 1,000 operations per time, no messages. */
const IMPORTED = {
  transport: {
    slug: "google-benchmark",
    title: "Google Benchmark (JSON)",
    family: "import",
    semantics: "Imported from a file of Google Benchmark (JSON).",
    control: false,
  },
  case: {
    scenario: "benchmark",
    message_bytes: 0,
    peers: 1,
    mode: "unknown",
    placement: "unknown",
    benchmark: "BM_Pipe/64",
    operations: 1000,
  },
  methodology: {
    protocol_version: 1,
    send: "unknown",
    receive: "unknown",
    on_full: "unknown",
    window: 1,
    batch: 1,
    clock: "unknown",
    warmup: 0,
    payload: "not known: imported from a file of Google Benchmark (JSON)",
    storage: "unknown",
  },
};

type Imported = {
  case?: Partial<Api.SeriesSummary["case"]>;
  transport?: Partial<Api.SeriesSummary["transport"]>;
  statistic?: string;
};

function imported({ case: kase, transport, statistic }: Imported) {
  return {
    transport: { ...IMPORTED.transport, ...transport },
    case: { ...IMPORTED.case, ...kase },
    methodology: { ...IMPORTED.methodology, ...(statistic === undefined ? {} : { statistic }) },
  };
}

/** An imported series: with samples, or stated if a statistic is set. */
export function anImportedSeries(
  change: Imported & Partial<Omit<Api.SeriesSummary, "case" | "transport">> = {},
): Api.SeriesSummary {
  const { case: kase, transport, statistic, ...rest } = change;
  const isStated = statistic !== undefined;
  return {
    ...aSeries({
      latest: isStated ? null : anImportedPoint(),
      latest_summary: isStated ? aStatedPoint() : null,
      ...rest,
    }),
    ...imported(change),
  };
}

/** An imported result: with samples, or stated if a statistic is set. */
export function anImportedResult(
  change: Imported & Partial<Omit<Api.RunResult, "case" | "transport">> = {},
): Api.RunResult {
  const { case: kase, transport, statistic, ...rest } = change;
  const isStated = statistic !== undefined;
  return {
    ...aResult({
      point: isStated ? null : anImportedPoint(),
      summary: isStated ? aStatedPoint() : null,
      ...rest,
    }),
    ...imported(change),
  };
}

/** A point with imported samples, without messages. */
export function anImportedPoint(change: Partial<Api.Point> = {}): Api.Point {
  return aPoint({
    count: 5,
    repetition_count: 5,
    attempted: 0,
    accepted: 0,
    delivered: 0,
    ...change,
  });
}

/** A stated value without samples or interval. */
export const aStatedPoint = builder<Api.StatedPoint>({
  ...PLACE,
  center_ns: 4000,
  low_ns: null,
  high_ns: null,
  min_ns: null,
  max_ns: null,
  quantiles: [],
  count: null,
});

export function anImport(change: Partial<Api.RunSummary> = {}): Api.RunSummary {
  return aRunSummary({ preset: "import", build: "unknown", order_seed: "0", ...change });
}

/** Observations of undisturbed repetitions. */
export const anObserved = builder<Api.Observed>({
  late: null,
  missed: null,
  cpu_ns_per_message: null,
  disturbed: [],
  deliveries: [],
  oversubscribed: false,
});

export const aRunSummary = builder<Api.RunSummary>({
  run_id: "019aa8f0-5c1e-7b3a-9f00-000000000001",
  project: "libfoo",
  machine: "lab-linux-1",
  commit: aCommit(),
  branch: "main",
  pull_request: null,
  quarantined: false,
  work_tree_modified: false,
  preset: "quick",
  suite_version: "0.1.0",
  build: "release",
  order_seed: "7",
  started_at: "2026-11-14T11:00:00Z",
  finished_at: "2026-11-14T11:00:48Z",
  received_at: "2026-11-14T11:00:49Z",
  point_count: 1,
  unsupported_count: 0,
  failure_count: 0,
  job_id: null,
  superseded: false,
});

export const aRun = builder<Api.RunDetail>({
  run: aRunSummary(),
  environment_id: 1,
  environment: { stable: { "os.kernel": "6.12.4" }, conditions: {} },
  canaries: [],
  original: null,
  pruned: { upload_at: null, histograms_at: null, points_at: null },
  results: [],
});

export const aRepetition = builder<Api.Repetition>({
  index: 0,
  p50_ns: 4000,
  p99_ns: 8000,
  min_ns: 3600,
  max_ns: 32_000,
  count: 200,
  attempted: 200,
  accepted: 200,
  delivered: 200,
  out_of_order: 0,
  corrupted: 0,
  ends: [],
  disturbed: [],
});

export const aPointDetail = builder<Api.PointDetail>({
  point: aPoint(),
  histogram: [],
  repetitions: [aRepetition()],
  p50_interval_ns: null,
  pruned: { upload_at: null, histograms_at: null, points_at: null },
});

export const aRegression = builder<Api.Regression>({
  regression_id: 9,
  project: "libfoo",
  direction: "regressed",
  kind: "step",
  state: "new",
  cause: "commit",
  held_because: null,
  after_commit: { sha: "a".repeat(40), ordinal: 30 },
  until_commit: { sha: "b".repeat(40), ordinal: 31 },
  culprit_commit: null,
  fixed_by_commit: null,
  explanation: null,
  series_count: 4,
  is_time: true,
  machines: ["lab-1", "lab-2"],
  worst_change: 0.2,
  assignee: null,
  note: null,
  bug_url: null,
  muted_until: null,
  created_at: "2026-11-24T10:00:00Z",
  updated_at: "2026-11-24T10:00:00Z",
});

/** A regression of a series at commit 31. */
export const aChangePoint = builder<Api.ChangePoint>({
  change_point_id: 1,
  series_id: 1,
  environment_id: 1,
  figure: "p50",
  commit_ordinal: 31,
  commit_sha: "b".repeat(40),
  after_commit_ordinal: 30,
  until_commit_ordinal: 31,
  places: [{ commit_ordinal: 31, probability: 0.97 }],
  before_level: 4020,
  after_level: 4830,
  change: 0.2,
  direction: "regressed",
  confidence: 0.999_999,
  kind: "step",
  matters: true,
  cause: "commit",
  witnesses: [],
  regression_id: 9,
  found_at: "2026-11-24T10:00:00Z",
});

/** A line without points; columns are delta-encoded. */
export const aLine = builder<Api.LineSeries>({
  series_id: 1,
  point_count: 0,
  is_thinned: false,
  kept: null,
  commit_ordinals: [],
  environments: [],
  work_tree_modified: [],
  lossy: [],
  latency_ns: null,
  repetition_p50_ns: null,
  bytes_per_second: null,
  stated: null,
});

export const aProject = builder<Api.ProjectSummary>({
  project: "libfoo",
  visibility: "public",
  default_branch: "main",
  repository_url: null,
  commit_url: null,
  fails_on_regression: false,
  least_change: null,
  run_count: 1,
  series_count: 1,
  machine_count: 1,
  commit_count: 1,
  last_run_at: "2026-11-14T11:00:00Z",
  latest_run: aRunSummary(),
});

export const aMachine = builder<Api.MachineSummary>({
  machine: "lab-linux-1",
  os: "linux",
  arch: "x86-64",
  run_count: 1,
  last_run_at: "2026-11-14T11:00:00Z",
  environment_id: 1,
  environment: { stable: { "os.kernel": "6.12.4" }, conditions: {} },
  lost_run_count: 0,
  suspect_because: null,
  known_state_changes: 0,
});

export const aReading = builder<Api.CanaryReading>({
  run_id: "019aa8f0-5c1e-7b3a-9f00-000000000001",
  started_at: "2026-11-14T11:00:00Z",
  commit_ordinal: 1,
  environment_id: 1,
  p50_ns: { wake: 4000 },
});

/** A session; `null` for a visitor without an account. */
export function aSession(
  account: Partial<NonNullable<Api.SessionInfo["account"]>> | null = {},
  change: Partial<Api.SessionInfo> = {},
): Api.SessionInfo {
  return {
    account: account === null ? null : { name: "ada", is_admin: false, roles: {}, ...account },
    scopes: account === null ? [] : ["read", "ingest:write", "project:write", "admin"],
    project: null,
    has_github: false,
    is_private: false,
    ...change,
  };
}

export function aTransport(slug: string): Api.SeriesSummary["transport"] {
  return { slug, title: slug, family: "pipe", semantics: "Bytes are copied in and out.", control: true };
}

export function aMethodology(): Api.Methodology {
  return {
    protocol_version: 1,
    send: "blocking",
    receive: "block",
    on_full: "wait",
    window: 1,
    batch: 1,
    clock: "clock-monotonic",
    warmup: 20,
    payload: "written and verified outside the timed section",
    storage: "touched-after-start",
  };
}

/** An ordinary agent token. */
export const aToken = builder<Api.TokenSummary>({
  token_id: 1,
  name: "lab-linux-1",
  kind: "agent",
  prefix: "rta_4fKx2P",
  account: null,
  machine: "lab-linux-1",
  project: "libfoo",
  scopes: ["ingest:write"],
  created_at: "2026-11-02T09:30:00Z",
  expires_at: null,
  last_used_at: null,
  rotated_at: null,
  previous_expires_at: null,
});

export const aChannel = builder<Api.Channel>({
  channel_id: 1,
  name: "team chat",
  kind: "slack",
  target: "hooks.slack.com/…Xb4d",
  events: ["regressed", "fixed"],
  enabled: true,
  disabled_because: null,
  last_success_at: null,
  last_failure_at: null,
  failure: null,
  created_by: "account:ada",
  created_at: "2026-11-04T09:30:00Z",
});

export const aJob = builder<Api.Job>({
  job_id: 1,
  machine: "lab-linux-1",
  commit_sha: "c".repeat(40),
  commit_ordinal: 28,
  labels: [],
  base_sha: null,
  branch: null,
  pull_request: null,
  is_fork: false,
  preset: null,
  reason: "bisect",
  regression_id: 9,
  requested_by: null,
  status: "queued",
  attempt: 0,
  created_at: "2026-11-24T10:01:00Z",
  starts_at: null,
  started_at: null,
  done_at: null,
  failure: null,
  done_by_run_id: null,
});

export const aSuspicion = builder<Api.Suspicion>({
  suspicion_id: 1,
  machine: "lab-1",
  commit: { sha: `87f34d3${"0".repeat(33)}`, ordinal: 30 },
  base_commit: { sha: "b".repeat(40), ordinal: 29 },
  run_id: "019aa8f0-5c1e-7b3a-9f00-000000000030",
  state: "waiting",
  cases: [{ series_id: 7, environment_id: 1, level: 4000, change: 0.21, confirmed_change: null }],
  decided_because: null,
  job_id: 5,
  job_status: "running",
  job_seconds: 120,
  regression_id: null,
  created_at: "2026-11-24T11:58:00Z",
  decided_at: null,
});

/** A healthy, idle agent. */
export const anAgent = builder<Api.AgentSummary>({
  agent_id: 1,
  machine: "lab-linux-1",
  os: "linux",
  arch: "x86-64",
  project: null,
  labels: [],
  is_online: true,
  is_enabled: true,
  is_draining: false,
  failing: [],
  suspect: [],
  is_busy: false,
  job_id: null,
  spooled_count: 0,
  version: "0.1.0",
  enrolled_at: "2026-11-02T09:30:00Z",
  last_seen_at: "2026-11-24T11:59:30Z",
});
