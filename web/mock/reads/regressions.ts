/** Regressions. */
import { isAt } from "@/lib/regressions";
import { entryWith, listed, type Mocks, text } from "../endpoint";
import { detailOf } from "../world/changes";
import { profile } from "../world/profile";

export const regressions = {
  "/api/v1/projects/{project}/badge.svg": (_, { path }) => badge(path.project, "2 regressions"),
  "/api/v1/projects/{project}/regressions": (world, { path, query }) => {
    const states = query.state?.split(",");
    const asked = world.regressions.filter(
      ({ project, state, direction, held_because, muted_until, ...commits }) =>
        project === path.project &&
        (query.commit === undefined || isAt(commits, query.commit)) &&
        (states?.includes(state) ?? true) &&
        (query.direction === undefined || query.direction === direction) &&
        (query.quiet === "true" || (held_because === null && muted_until === null)),
    );
    return listed("regressions", asked, query);
  },
  "/api/v1/projects/{project}/regressions/{regression_id}": (world, { path: { regression_id } }) =>
    detailOf(world, entryWith(world.regressions, "regression_id", regression_id)),
  "/api/v1/projects/{project}/regressions/{regression_id}/timeline": (
    world,
    { path: { regression_id } },
  ) => ({
    entries: world.timelines.get(Number(regression_id)) ?? [],
  }),
  "/api/v1/projects/{project}/regressions/{regression_id}/profile": (world, { path, query }) => {
    const profiled = world.regressions.filter(({ explanation }) => explanation?.has_profile);
    entryWith(profiled, "regression_id", path.regression_id);
    return query.format === undefined || query.format === "json"
      ? profile()
      : text("application/octet-stream", "main;encode 100\n");
  },
  "/api/v1/projects/{project}/suspicions": (world, { path, query }) => {
    const asked = world.suspicions.filter(
      ({ state, commit }) =>
        path.project === world.project &&
        (query.state === undefined || query.state === state) &&
        (query.commit === undefined || query.commit === commit.sha),
    );
    return listed("suspicions", asked, query);
  },
} satisfies Partial<Mocks<"get">>;

export function badge(label: string, message: string) {
  const title = `${label}: ${message}`;
  return text(
    "image/svg+xml",
    `<svg xmlns="http://www.w3.org/2000/svg" width="${7 * title.length}" height="20" role="img"><title>${title}</title><rect width="100%" height="20" rx="3" fill="#333"/><text x="6" y="14" font-size="11" fill="#fff">${title}</text></svg>`,
  );
}
