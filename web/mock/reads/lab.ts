/** Agents, jobs and schedules. */
import { entryWith, listed, type Mocks } from "../endpoint";

export const lab = {
  "/api/v1/projects/{project}/agents": (world, { path, query }) => {
    const able = world.agents.filter(({ project }) => project === null || project === path.project);
    return listed("agents", able, query);
  },
  "/api/v1/projects/{project}/jobs": (world, { path, query }) => {
    const asked = world.jobs.filter(
      ({ regression_id, pull_request, commit_sha, done_at }) =>
        world.has(path.project) &&
        (query.commit === undefined || commit_sha === query.commit) &&
        (query.regression === undefined || regression_id === Number(query.regression)) &&
        (query.pull_request === undefined || pull_request === Number(query.pull_request)) &&
        (query.done === undefined || (done_at !== null) === (query.done === "true")),
    );
    return listed(
      "jobs",
      asked.map(({ attempts: _, ...job }) => job),
      query,
    );
  },
  "/api/v1/projects/{project}/jobs/{job_id}": (world, { path }) =>
    entryWith(world.has(path.project) ? world.jobs : [], "job_id", path.job_id),
  "/api/v1/projects/{project}/schedules": (world, { path }) => ({
    schedules: world.has(path.project) ? world.schedules : [],
  }),
} satisfies Partial<Mocks<"get">>;
