/** Commits, pull requests and merge bases. */
import type { CommitSummary } from "@/api/types";
import { between, found, listed, type Mocks, Refusal } from "../endpoint";
import type { World } from "../world/world";

export const commits = {
  "/api/v1/projects/{project}/commits": (world, { path, query }) => {
    const all = world.has(path.project) ? [...world.commits].reverse() : [];
    const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const matching = between(all, ({ ordinal }) => ordinal, query).filter(
      ({ sha, subject }) =>
        words.every((word) => subject.toLowerCase().includes(word)) || sha.startsWith(words[0] ?? "-"),
    );
    return listed("commits", matching, query);
  },
  "/api/v1/projects/{project}/commits/{sha}": (world, { path: { sha } }) => {
    const commit = commitOf(world, sha);
    const runs = world.runs.filter((run) => run.commit.sha === commit.sha);
    const parent = world.commits[commit.ordinal - 2];
    return {
      commit,
      ordinal_is_estimate: false,
      parents: parent === undefined ? [] : [parent.sha],
      run_count: runs.length,
      runs,
    };
  },
  "/api/v1/projects/{project}/merge-base": (world, { query }) => {
    const [base, head] = [query.base, query.head].map((sha) => commitOf(world, sha ?? ""));
    if (base === undefined || head === undefined)
      throw new Refusal(400, "invalid-parameter", "Invalid parameter", "");
    const branch = world.pullRequests.find((entry) => entry.head.sha === head.sha);
    return {
      base,
      head,
      merge_base: branch?.base ?? (base.ordinal < head.ordinal ? base : head),
      is_certain: branch?.isCertain ?? true,
      unknown_parents_of: branch?.isCertain === false ? [head.sha] : [],
    };
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

function commitOf(world: World, sha: string): CommitSummary {
  return found(world.commit(sha), "commit", sha);
}
