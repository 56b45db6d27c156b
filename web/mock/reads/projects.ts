/** Projects and what is counted of them. */
import type { ProjectSettings, ProjectSummary } from "@/api/types";
import { found, type Mocks, Plain, page } from "../endpoint";
import type { World } from "../world/world";
import { errorRatesOf } from "./errorRates";

type Path =
  | "/api/v1/projects"
  | "/api/v1/projects/{project}"
  | "/api/v1/projects/{project}/error-rates"
  | "/api/v1/projects/{project}/events"
  | "/api/v1/projects/{project}/machines";

export const projects: Pick<Mocks<"get">, Path> = {
  "/api/v1/projects": (world, { query }) => {
    const { entries, next_after } = page(world.projects, query);
    return { projects: entries.map((project) => summary(world, project)), next_after };
  },
  "/api/v1/projects/{project}": (world, { path: { project } }) =>
    summary(
      world,
      found(
        world.projects.find((entry) => entry.project === project),
        "project",
        project,
      ),
    ),
  "/api/v1/projects/{project}/error-rates": (world, { path }) => errorRatesOf(world, path.project),
  // Nothing new ever comes: a page that waits for it is the same as one that does not.
  "/api/v1/projects/{project}/events": () =>
    new Plain(200, { "content-type": "text/event-stream" }, "retry: 3000\n\n", true),
  "/api/v1/projects/{project}/machines": (world, { path, query }) => {
    const { entries: machines, next_after } = page(world.machinesOf(path.project), query);
    return { machines, next_after };
  },
};

function summary(
  world: World,
  { project, visibility, default_branch, repository_url, fails_on_regression }: ProjectSettings,
): ProjectSummary {
  const runs = world.has(project) ? world.runs : [];
  const [latest] = runs;
  return {
    project,
    visibility,
    default_branch,
    repository_url,
    fails_on_regression,
    run_count: runs.length,
    series_count: world.has(project) ? world.series.length : 0,
    machine_count: world.machinesOf(project).length,
    commit_count: new Set(runs.map(({ commit }) => commit.sha)).size,
    last_run_at: latest?.started_at ?? null,
    latest_run: latest ?? null,
  };
}
