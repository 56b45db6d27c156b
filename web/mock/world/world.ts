/**
 * The data of all mocks: two machines, 17 transports, forty commits. It is created once in memory; writes change it
 * until the server stops.
 */
import type * as Api from "@/api/types";
import { regressionsOf, suspicionsOf } from "./changes";
import { COMMIT_COUNT, KNOWN_SWITCHES_AT, mainLine, notesOf } from "./commits";
import { pointOf, statedPointOf } from "./figures";
import { agentsOf, jobsOf, SCHEDULES } from "./lab";
import { MACHINES } from "./machines";
import { ACCOUNTS, AUDIT, CHANNELS, MEMBERS, SESSION, STRANGER, TIMELINES, TOKENS } from "./people";
import { type PullRequest, pullRequestsOf, runsOf } from "./runs";
import { type MockSeries, seriesOf } from "./series";

/** The project, and an empty one. */
const PROJECT = "libfoo";
const EMPTY_PROJECT = "libempty";

type Extent = { commitCount?: number; isForbidden?: boolean };

/** All data. Writes change the lists in it. */
export class World {
  readonly project = PROJECT;
  readonly commits: Api.CommitSummary[];
  readonly series: MockSeries[];
  readonly runs: Api.RunSummary[];
  private readonly mainRuns = new Map<string, Api.RunSummary[]>();
  readonly pullRequests: PullRequest[];
  readonly projects: Api.ProjectSettings[] = [PROJECT, EMPTY_PROJECT].map((project) => ({
    project,
    default_branch: "main",
    repository_url: project === PROJECT ? "https://github.com/example/libfoo.git" : null,
    commit_url: null,
    fails_on_regression: false,
    least_change: null,
    visibility: project === PROJECT ? "public" : "private",
  }));
  readonly session: Api.SessionInfo;
  regressions: Api.Regression[];
  /** By regression. */
  timelines: Map<number, Api.TimelineEntry[]> = structuredClone(TIMELINES);
  suspicions: Api.Suspicion[];
  notes: Api.Note[];
  jobs: Api.JobDetail[];
  agents: Api.AgentSummary[];
  schedules: Api.Schedule[] = structuredClone(SCHEDULES);
  accounts: Api.AccountSummary[] = structuredClone(ACCOUNTS);
  members: Api.Member[] = structuredClone(MEMBERS);
  tokens: Api.TokenSummary[] = structuredClone(TOKENS);
  channels: Api.Channel[] = structuredClone(CHANNELS);
  audit: Api.AuditEvent[] = structuredClone(AUDIT);

  constructor({ commitCount = COMMIT_COUNT, isForbidden = false }: Extent = {}) {
    const isEmpty = commitCount === 0;
    this.commits = mainLine(commitCount);
    this.series = isEmpty ? [] : seriesOf(PROJECT);
    this.runs = runsOf(PROJECT, this.commits, this.series);
    this.pullRequests = pullRequestsOf(this.commits);
    this.session = isForbidden ? STRANGER : SESSION;
    this.regressions = regressionsOf(this);
    this.jobs = jobsOf(this);
    this.notes = notesOf(this.commits);
    this.suspicions = isEmpty ? [] : suspicionsOf(this);
    this.agents = isEmpty ? [] : agentsOf();
  }

  has(project: string): boolean {
    return project === this.project;
  }

  machinesOf(project: string): Api.MachineSummary[] {
    return MACHINES.flatMap(({ machine, arch, suspect_because, environmentAt }) => {
      const runs = this.has(project) ? this.runs.filter((run) => run.machine === machine) : [];
      const [newest] = runs;
      if (newest === undefined) return [];
      return {
        machine,
        os: "linux",
        arch,
        run_count: runs.length,
        last_run_at: newest.started_at,
        lost_run_count: 0,
        suspect_because,
        known_state_changes: machine === "lab-arm-1" ? KNOWN_SWITCHES_AT.length : 0,
        ...environmentAt(newest.commit.ordinal),
      };
    }).sort((one, other) => (one.machine < other.machine ? -1 : 1));
  }

  seriesById(series_id: number): MockSeries | undefined {
    return this.series[series_id - 1];
  }

  /** The main-line runs of a series, oldest first. */
  runsOf({ machine, isImported }: MockSeries): Api.RunSummary[] {
    const key = `${machine.machine} ${isImported}`;
    const kept =
      this.mainRuns.get(key) ??
      this.runs
        .filter(
          (run) =>
            run.machine === machine.machine &&
            run.pull_request === null &&
            (run.preset === "import") === isImported,
        )
        .reverse();
    this.mainRuns.set(key, kept);
    return kept;
  }

  /** The points of a series, oldest first; none for stated values or unsupported cases. */
  pointsOf(series: MockSeries): Api.Point[] {
    if (series.unsupported !== null || isStated(series)) return [];
    return this.runsOf(series).map((run) => pointOf(series, run));
  }

  summaryOf(series: MockSeries): Api.SeriesSummary {
    const newest = this.runsOf(series).at(-1);
    if (newest === undefined || series.unsupported !== null) return series.summary;
    return isStated(series)
      ? { ...series.summary, latest_summary: statedPointOf(series, newest) }
      : { ...series.summary, latest: pointOf(series, newest) };
  }

  /** The commit of a SHA or prefix, on any line. */
  commit(sha: string): Api.CommitSummary | undefined {
    const all = [...this.commits, ...this.pullRequests.map(({ head }) => head)];
    return sha.length < 4 ? undefined : all.find((commit) => commit.sha.startsWith(sha));
  }
}

/** Whether a series has stated values without samples. */
export const isStated = ({ summary }: MockSeries): boolean => summary.methodology.statistic != null;
