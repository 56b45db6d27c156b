/** What changed and why. */
import { found, type Mocks, page, text } from "../endpoint";
import { detailOf } from "../world/changes";
import { badge } from "./badge";

type Path =
  | "/api/v1/projects/{project}/badge.svg"
  | "/api/v1/projects/{project}/regressions"
  | "/api/v1/projects/{project}/regressions.atom"
  | "/api/v1/projects/{project}/regressions/{regression_id}";

export const regressions: Pick<Mocks<"get">, Path> = {
  "/api/v1/projects/{project}/badge.svg": (_, { path }) => badge(path.project, "2 regressions"),
  "/api/v1/projects/{project}/regressions": (world, { path, query }) => {
    const states = query.state?.split(",");
    const asked = world.regressions.filter(
      ({ project, state, direction, held_because, muted_until }) =>
        project === path.project &&
        (states?.includes(state) ?? true) &&
        (query.direction === undefined || query.direction === direction) &&
        (query.quiet === "true" || (held_because === null && muted_until === null)),
    );
    const { entries, next_after } = page(asked, query);
    return { regressions: entries, next_after };
  },
  "/api/v1/projects/{project}/regressions.atom": (_, { path }) =>
    text(
      "application/atom+xml",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>Regressions of ${path.project}</title></feed>`,
    ),
  "/api/v1/projects/{project}/regressions/{regression_id}": (world, { path: { regression_id } }) => {
    const regression = world.regressions.find((entry) => entry.regression_id === Number(regression_id));
    return detailOf(world, found(regression, "regression", regression_id));
  },
};
