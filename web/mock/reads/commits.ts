/** Commits and pull requests. */
import { hasCommitWords, wordsOf } from "@/site/words";
import { between, found, listed, type Mocks } from "../endpoint";

export const commits = {
  "/api/v1/projects/{project}/commits": (world, { path, query }) => {
    const all = world.has(path.project) ? [...world.commits].reverse() : [];
    const words = wordsOf(query.q ?? "");
    const matching = between(all, ({ ordinal }) => ordinal, query).filter((commit) =>
      hasCommitWords(commit, words),
    );
    return listed("commits", matching, query);
  },
  "/api/v1/projects/{project}/commits/{sha}": (world, { path: { sha } }) => {
    const commit = found(world.commit(sha), "commit", sha);
    const runs = world.runs.filter((run) => run.commit.sha === commit.sha);
    const pullRequest = world.pullRequests.find(({ head }) => head.sha === commit.sha);
    const parent = pullRequest?.base ?? world.commits[commit.ordinal - 2];
    return {
      commit,
      ordinal_is_estimate: false,
      parents: parent === undefined ? [] : [parent.sha],
      previous: parent ?? null,
      next: pullRequest !== undefined ? null : (world.commits[commit.ordinal] ?? null),
      run_count: runs.length,
      runs,
    };
  },
  "/api/v1/projects/{project}/notes": (world, { path, query }) => {
    const all = world.has(path.project) ? world.notes : [];
    const asked = between(all, ({ commit }) => commit.ordinal, query).filter(
      ({ commit }) => query.commit === undefined || query.commit === commit.sha,
    );
    return listed("notes", asked, query);
  },
  "/api/v1/projects/{project}/pull-requests": (world, { path, query }) => {
    const all = world.has(path.project) ? world.pullRequests : [];
    const summaries = all.flatMap(({ pull_request, head, base, isCertain }) => {
      const runs = world.runs.filter((run) => run.pull_request === pull_request);
      const [latest_run] = runs;
      if (latest_run === undefined) return [];
      return {
        pull_request,
        head,
        merge_base: base,
        merge_base_is_certain: isCertain,
        run_count: runs.length,
        latest_run,
      };
    });
    return listed("pull_requests", summaries, query);
  },
} satisfies Partial<Mocks<"get">>;
