/** Lists, filtered and page by page. */
import type { CanaryHistory, CommitDetail, CommitSummary, RunSummary } from "@/api/types";
import { ascending } from "@/lib/collections";
import { isAt } from "@/lib/regressions";
import { newest } from "./columns";
import {
  commitList,
  machineList,
  mainRuns,
  projectList,
  pullRequestList,
  regressionList,
  runList,
  suspicionList,
} from "./data";
import { type Answers, invalid, listed, missing, numberIn, valuesIn } from "./endpoint";
import { read } from "./files";
import { hasCommitWords, wordsOf } from "./words";

/** The most runs of a commit, as on the server. */
const RUNS_MAX = 200;
/** The default number of readings, as on the server. */
const READINGS = 200;

export const lists = {
  "/api/v1/projects": async ({ query }) => listed("projects", (await projectList()).projects, query),
  "/api/v1/projects/{project}/machines": async ({ path, query }) =>
    listed("machines", (await machineList(path.project)).machines, query),
  "/api/v1/projects/{project}/machines/{machine}/canaries": async ({ path: { project, machine }, query }) => {
    const name = `projects/${project}/machines/${machine}/canaries`;
    const history = await read<CanaryHistory>(name);
    if (history === null) throw missing("unknown-machine", `${project} has no machine ${machine}.`);
    return { ...history, readings: newest(history.readings, numberIn("last", query.last, READINGS)) };
  },
  "/api/v1/projects/{project}/runs": async ({ path, query }) => {
    const { runs } = await runList(path.project);
    const asked = runs.filter(
      ({ machine, pull_request }) =>
        (query.machine === undefined || query.machine === machine) &&
        (query.pull_request === undefined || Number(query.pull_request) === pull_request),
    );
    return listed("runs", asked, query);
  },
  "/api/v1/projects/{project}/commits": async ({ path, query }) => {
    const { commits } = await commitList(path.project);
    const from = numberIn("from", query.from, 0);
    const to = numberIn("to", query.to, Number.POSITIVE_INFINITY);
    const words = wordsOf(query.q ?? "");
    const asked = commits.filter(
      (commit) =>
        commit.ordinal >= from &&
        commit.ordinal <= to &&
        (words.length === 0 || hasCommitWords(commit, words)),
    );
    return listed("commits", asked, query);
  },
  "/api/v1/projects/{project}/commits/{sha}": async ({ path: { project, sha } }): Promise<CommitDetail> => {
    const name = sha.toLowerCase();
    if (!/^[0-9a-f]{7,64}$/.test(name)) throw invalid("sha", "expected 7 to 64 hexadecimal digits");
    const { commits } = await commitList(project);
    const [commit, ...others] = commits.filter((entry) => entry.sha.startsWith(name));
    if (commit === undefined) throw missing("unknown-commit", `This site has no commit ${sha}.`);
    if (others.length > 0) {
      throw invalid("sha", `\`${sha}\` matches several commits: expected more digits`);
    }
    const runs = (await runList(project)).runs.filter((run) => run.commit.sha === commit.sha);
    return {
      commit,
      // Sites do not store these two.
      ordinal_is_estimate: false,
      parents: [],
      ...(await neighboursOf(project, commit, runs)),
      run_count: runs.length,
      runs: runs.slice(0, RUNS_MAX),
    };
  },
  "/api/v1/projects/{project}/pull-requests": async ({ path, query }) =>
    listed("pull_requests", (await pullRequestList(path.project)).pull_requests, query),
  "/api/v1/projects/{project}/regressions": async ({ path, query }) => {
    const { regressions } = await regressionList(path.project);
    const states = valuesIn(query.state) ?? [];
    const now = Date.now();
    const asked = regressions.filter(
      ({ state, direction, held_because, muted_until, ...commits }) =>
        (query.commit === undefined || isAt(commits, query.commit)) &&
        (states.length === 0 || states.includes(state)) &&
        (query.direction === undefined || query.direction === direction) &&
        (query.quiet === "true" ||
          (held_because === null && (muted_until === null || Date.parse(muted_until) <= now))),
    );
    return listed("regressions", asked, query);
  },
  "/api/v1/projects/{project}/suspicions": async ({ path, query }) => {
    const { suspicions } = await suspicionList(path.project);
    const asked = suspicions.filter(
      ({ state, commit }) =>
        (query.state === undefined || query.state === state) &&
        (query.commit === undefined || query.commit === commit.sha),
    );
    return listed("suspicions", asked, query);
  },
  // Sites have no lab.
  "/api/v1/projects/{project}/agents": async () => ({ agents: [], next_after: null }),
  "/api/v1/projects/{project}/jobs": async () => ({ jobs: [], next_after: null }),
} satisfies Answers;

/** The measured commits before and after; of a pull request, its base. */
async function neighboursOf(
  project: string,
  { sha, ordinal }: CommitSummary,
  own: readonly RunSummary[],
): Promise<Pick<CommitDetail, "previous" | "next">> {
  if (own.length > 0 && own.every(({ pull_request }) => pull_request !== null)) {
    const { pull_requests } = await pullRequestList(project);
    return { previous: pull_requests.find(({ head }) => head.sha === sha)?.merge_base ?? null, next: null };
  }
  const [{ runs }, onMain] = await Promise.all([runList(project), mainRuns(project)]);
  const measured = runs
    .filter(({ run_id }) => onMain.has(run_id))
    .map(({ commit }) => commit)
    .sort((one, other) => ascending(one.ordinal, other.ordinal) || ascending(one.sha, other.sha));
  return {
    previous: measured.findLast((commit) => commit.ordinal < ordinal) ?? null,
    next: measured.find((commit) => commit.ordinal > ordinal) ?? null,
  };
}
