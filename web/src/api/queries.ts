/** One query per endpoint, with how long its data stays fresh. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, dataOf, type QueryOf, read, readAll, wholeList } from "./client";
import { errorOfUnknown } from "./errors";

/** Immutable data: the results of a run. */
const forever = <Options extends object>(options: Options) => ({
  ...options,
  staleTime: Number.POSITIVE_INFINITY,
});
/** Keeps showing the previous data while a changed query loads. */
const moving = <Options extends object>(options: Options) => ({
  ...options,
  placeholderData: keepPreviousData,
});

/** Whether the data can change with the next upload. */
export function isChangeable({ queryKey: [path] }: { queryKey: readonly unknown[] }): boolean {
  return typeof path !== "string" || !(path.startsWith("/api/v1/runs/") || path.endsWith("/profile"));
}

/** The limit of the server for points per series. */
const POINTS_MAX = 1000;
/** The limit of the server for series per request. */
const SERIES_MAX = 200;
/** The default number of runs for canaries. */
const CANARY_RUNS = 50;
/** Poll interval for changes without an event, such as job starts and agent contact. */
const LAB_PERIOD_MS = 10_000;
/** Responses during a drag are useful only for a moment. */
const ADVICE_KEPT_MS = 10_000;

const joined = (seriesIds: number[]) => seriesIds.slice(0, SERIES_MAX).join(",");

/**
 * The session. It changes only with a full page load. Never cancelled: pages wait for it even if the header unmounts.
 */
export const sessionQuery = forever(
  queryOptions({ ...read("/api/v1/session"), queryFn: () => dataOf(client.GET("/api/v1/session")) }),
);

/** Never cancelled: the start page waits for it. */
export const projectsQuery = readAll("/api/v1/projects", {}, ({ projects }) => projects, { isKept: true });

export const projectQuery = (project: string) => read("/api/v1/projects/{project}", { path: { project } });

export const machinesQuery = (project: string) =>
  readAll("/api/v1/projects/{project}/machines", { path: { project } }, ({ machines }) => machines);

/** The environments in which a machine measured a project. */
export const environmentsQuery = (project: string, machine: string) =>
  read("/api/v1/projects/{project}/machines/{machine}/environments", { path: { project, machine } });

/** The states of a machine by day, and the changes that it can detect. */
export const machineHistoryQuery = (project: string, machine: string) =>
  read("/api/v1/projects/{project}/machines/{machine}/history", { path: { project, machine } });

/** The canary readings of a machine's newest runs. */
export const canariesQuery = (project: string, machine: string, last = CANARY_RUNS) =>
  read("/api/v1/projects/{project}/machines/{machine}/canaries", {
    path: { project, machine },
    query: { last },
  });

export const errorRatesQuery = (project: string) =>
  read("/api/v1/projects/{project}/error-rates", { path: { project } });

export type RegressionsAsked = QueryOf<"/api/v1/projects/{project}/regressions">;

export const regressionsQuery = (project: string, query: RegressionsAsked) =>
  read("/api/v1/projects/{project}/regressions", { path: { project }, query });

/** Suspicions are decided within minutes. */
export const suspicionsQuery = (
  project: string,
  query: QueryOf<"/api/v1/projects/{project}/suspicions">,
) => ({
  ...read("/api/v1/projects/{project}/suspicions", { path: { project }, query }),
  refetchInterval: LAB_PERIOD_MS,
});

export const regressionQuery = (project: string, regression_id: number) =>
  read("/api/v1/projects/{project}/regressions/{regression_id}", { path: { project, regression_id } });

/** Comments on a regression, and the history of its triage. */
export const timelineQuery = (project: string, regression_id: number) =>
  read("/api/v1/projects/{project}/regressions/{regression_id}/timeline", {
    path: { project, regression_id },
  });

/** The profiles behind an explanation: large, and replaced only by a new explanation. */
export const profileQuery = (project: string, regression_id: number) =>
  forever(
    read("/api/v1/projects/{project}/regressions/{regression_id}/profile", {
      path: { project, regression_id },
    }),
  );

export const runsQuery = (project: string, query: QueryOf<"/api/v1/projects/{project}/runs">) =>
  read("/api/v1/projects/{project}/runs", { path: { project }, query });

/** A run with all results, or only those of some series. */
export const runQuery = (run_id: string, seriesIds?: number[]) =>
  forever(
    read("/api/v1/runs/{run_id}", {
      path: { run_id },
      query: seriesIds === undefined ? {} : { series: joined(seriesIds) },
    }),
  );

export const pointDetailQuery = (run_id: string, series_id: number) =>
  forever(read("/api/v1/runs/{run_id}/series/{series_id}", { path: { run_id, series_id } }));

/** Filters for series; values of one facet are separated by commas. */
export type SeriesAsked = QueryOf<"/api/v1/projects/{project}/series/facets">;

export const facetsQuery = (project: string, query: SeriesAsked) =>
  moving(read("/api/v1/projects/{project}/series/facets", { path: { project }, query }));

export const foundSeriesQuery = (project: string, query: QueryOf<"/api/v1/projects/{project}/series">) =>
  moving(read("/api/v1/projects/{project}/series", { path: { project }, query }));

/** Series in the first page and in the following ones. */
const FIRST_PAGE = 50;
const NEXT_PAGE = 500;

/** Matching series, page by page. */
export const seriesPagesQuery = (project: string, query: SeriesAsked) => {
  const path = "/api/v1/projects/{project}/series";
  return infiniteQueryOptions({
    queryKey: [path, { path: { project }, query }, "pages"],
    queryFn: ({ pageParam: after, signal }) => {
      const page = after === null ? { limit: FIRST_PAGE } : { limit: NEXT_PAGE, after };
      const params = { path: { project }, query: { ...query, ...page } };
      return dataOf(client.GET(path, { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_after }) => next_after ?? undefined,
    placeholderData: keepPreviousData,
  });
};

/** All matching series. Always filter: a project can have thousands. */
export const seriesListQuery = (project: string, query: SeriesAsked) =>
  readAll("/api/v1/projects/{project}/series", { path: { project }, query }, ({ series }) => series);

export const seriesQuery = (series_id: number) => read("/api/v1/series/{series_id}", { path: { series_id } });

export const pointsQuery = (seriesIds: number[], limit = POINTS_MAX) => ({
  ...moving(read("/api/v1/points", { query: { series: joined(seriesIds), limit } })),
  enabled: seriesIds.length > 0,
});

/** The points of one commit on the main line, or on all lines. */
export const pointsAtQuery = (series_id: number, ordinal: number, lines: "main" | "all" = "main") =>
  moving(read("/api/v1/points", { query: { series: String(series_id), from: ordinal, to: ordinal, lines } }));

/** Range and figures for line charts. */
export type LineAsked = Omit<QueryOf<"/api/v1/charts/line">, "series">;

export const lineQuery = (seriesIds: number[], asked: LineAsked) => ({
  ...moving(read("/api/v1/charts/line", { query: { series: joined(seriesIds), ...asked } })),
  enabled: seriesIds.length > 0,
});

/** Where the time of a message goes. */
export const budgetQuery = (
  seriesIds: number[],
  asked: Omit<QueryOf<"/api/v1/charts/budget">, "series">,
) => ({
  ...moving(read("/api/v1/charts/budget", { query: { series: joined(seriesIds), ...asked } })),
  enabled: seriesIds.length > 0,
});

/** The same for the newest point of each series. */
export const newestBudgetQuery = (seriesIds: number[]) => budgetQuery(seriesIds, { last: 1 });

export const heatMapQuery = (series: number, asked: Omit<QueryOf<"/api/v1/charts/heatmap">, "series">) =>
  moving(read("/api/v1/charts/heatmap", { query: { series, ...asked } }));

/** The distributions at the newest two commits of each series. */
export const ridgesQuery = (seriesIds: number[]) => ({
  ...moving(read("/api/v1/charts/ridges", { query: { series: joined(seriesIds) } })),
  enabled: seriesIds.length > 0,
});

export const changePointsQuery = (seriesIds: number[]) => ({
  ...moving(read("/api/v1/charts/changes", { query: { series: joined(seriesIds) } })),
  enabled: seriesIds.length > 0,
});

export type SweepAsked = QueryOf<"/api/v1/projects/{project}/charts/sweep">;

export const sweepQuery = (project: string, query: SweepAsked) =>
  moving(read("/api/v1/projects/{project}/charts/sweep", { path: { project }, query }));

/** Two commits or runs, and the filter for their pairs. */
type ComparedAsked = QueryOf<"/api/v1/projects/{project}/compare">;

export const compareQuery = (project: string, query: ComparedAsked) =>
  read("/api/v1/projects/{project}/compare", { path: { project }, query });

export const commitsQuery = (project: string, query: QueryOf<"/api/v1/projects/{project}/commits">) =>
  moving(read("/api/v1/projects/{project}/commits", { path: { project }, query }));

/** A commit by its SHA, or a unique prefix. */
export const commitQuery = (project: string, sha: string) =>
  read("/api/v1/projects/{project}/commits/{sha}", { path: { project, sha } });

/** The notes of users on commits. */
export const notesQuery = (project: string, query: QueryOf<"/api/v1/projects/{project}/notes">) =>
  read("/api/v1/projects/{project}/notes", { path: { project }, query });

export const pullRequestsQuery = (
  project: string,
  query: QueryOf<"/api/v1/projects/{project}/pull-requests">,
) => read("/api/v1/projects/{project}/pull-requests", { path: { project }, query });

/**
 * One pull request, found in the list, because the API has no single read.
 *
 * @throws ApiError with status 404 if no run has the number.
 */
export const pullRequestQuery = (project: string, pull_request: number) => {
  const path = "/api/v1/projects/{project}/pull-requests";
  return queryOptions({
    queryKey: [path, { path: { project } }, pull_request],
    queryFn: async ({ signal }) => {
      const all = await wholeList(
        (query) => dataOf(client.GET(path, { params: { path: { project }, query }, signal })),
        ({ pull_requests }) => pull_requests,
      );
      const found = all.find((entry) => entry.pull_request === pull_request);
      if (found !== undefined) return found;
      throw errorOfUnknown(`${project} has no runs of pull request ${pull_request}.`);
    },
  });
};

export const jobsQuery = (project: string, query: QueryOf<"/api/v1/projects/{project}/jobs">) => ({
  ...read("/api/v1/projects/{project}/jobs", { path: { project }, query }),
  refetchInterval: LAB_PERIOD_MS,
});

export const jobQuery = (project: string, job_id: number) =>
  queryOptions({
    ...read("/api/v1/projects/{project}/jobs/{job_id}", { path: { project, job_id } }),
    // Finished jobs do not change.
    refetchInterval: ({ state: { data } }) => (data?.done_at == null ? LAB_PERIOD_MS : false),
  });

export const agentsQuery = (project: string) => ({
  ...readAll("/api/v1/projects/{project}/agents", { path: { project } }, ({ agents }) => agents),
  refetchInterval: LAB_PERIOD_MS,
});

export const schedulesQuery = (project: string) =>
  read("/api/v1/projects/{project}/schedules", { path: { project } });

export const membersQuery = (project: string) =>
  readAll("/api/v1/projects/{project}/members", { path: { project } }, ({ members }) => members);

export const channelsQuery = (project: string) =>
  read("/api/v1/projects/{project}/channels", { path: { project } });

/** The tokens that the user can manage, in all projects. */
export const tokensQuery = readAll("/api/v1/tokens", {}, ({ tokens }) => tokens);

export const accountsQuery = readAll("/api/v1/accounts", {}, ({ accounts }) => accounts);

export const auditQuery = (query: QueryOf<"/api/v1/audit">) => read("/api/v1/audit", { query });

/** Published studies. They change only with the server version. */
export const referencesQuery = forever(read("/api/v1/references"));

/** The question of a publication, answered by machine. */
export const workedQuery = (project: string, reference: string) =>
  read("/api/v1/projects/{project}/references/{reference}", { path: { project, reference } });

export const sizeProfilesQuery = forever(read("/api/v1/size-profiles"));

/** Parameters for advice: a profile, or sizes as text. */
export type AdviceAsked = QueryOf<"/api/v1/projects/{project}/advice"> & {
  by: "p50" | "p98" | "p99" | "mean";
};

/** Which transport is the fastest for messages of some sizes. */
export const adviceQuery = (project: string, query: AdviceAsked) => ({
  ...moving(read("/api/v1/projects/{project}/advice", { path: { project }, query })),
  gcTime: ADVICE_KEPT_MS,
});
