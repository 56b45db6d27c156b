/** One query per endpoint: its cache key, how to ask, and how long the answer stays fresh. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, dataOf } from "./client";
import { ApiError } from "./errors";
import { wholeList } from "./list";
import type { PullRequestSummary } from "./types";

/** What does not change: what a run measured, after its upload. */
const FOREVER = { staleTime: Number.POSITIVE_INFINITY };

/** Whether an answer may be another one after the next upload. */
export function isChangeable({ queryKey: [kind] }: { queryKey: readonly unknown[] }): boolean {
  return kind !== "run" && kind !== "point";
}

/** The server answers at most this many points a series. */
const POINTS_MAX = 1000;
/** The server takes at most this many series in one request for points. */
const SERIES_MAX = 200;
/** As many runs as a glance at a machine reaches back. */
const CANARY_RUNS = 50;

/** Who asks. It changes with the page only: signing in and out loads a new one. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => dataOf(client.GET("/api/v1/session", { signal })),
  ...FOREVER,
});

/** Never given up: the entry waits for it, and what else shows it may leave meanwhile. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: async () => ({
    projects: await wholeList(
      (query) => dataOf(client.GET("/api/v1/projects", { params: { query } })),
      ({ projects }) => projects,
    ),
  }),
});

export const projectQuery = (project: string) =>
  queryOptions({
    queryKey: ["project", project],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/projects/{project}", { params: { path: { project } }, signal })),
  });

export const machinesQuery = (project: string) =>
  queryOptions({
    queryKey: ["machines", project],
    queryFn: async ({ signal }) => ({
      machines: await wholeList(
        (query) =>
          dataOf(
            client.GET("/api/v1/projects/{project}/machines", {
              params: { path: { project }, query },
              signal,
            }),
          ),
        ({ machines }) => machines,
      ),
    }),
  });

/** The environments in which a machine measured a project. */
export const environmentsQuery = (project: string, machine: string) =>
  queryOptions({
    queryKey: ["environments", project, machine],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/machines/{machine}/environments", {
          params: { path: { project, machine } },
          signal,
        }),
      ),
  });

export const errorRatesQuery = (project: string) =>
  queryOptions({
    queryKey: ["error-rates", project],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/projects/{project}/error-rates", { params: { path: { project } }, signal })),
  });

/** Which regressions are asked for. */
export type RegressionsAsked = {
  state?: string;
  direction?: "regressed" | "improved";
  quiet?: boolean;
  after?: string;
};

export const regressionsQuery = (project: string, query: RegressionsAsked) =>
  queryOptions({
    queryKey: ["regressions", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/regressions", {
          params: { path: { project }, query },
          signal,
        }),
      ),
  });

export const regressionQuery = (project: string, regression_id: number) =>
  queryOptions({
    queryKey: ["regression", project, regression_id],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/regressions/{regression_id}", {
          params: { path: { project, regression_id } },
          signal,
        }),
      ),
  });

export const runsQuery = (
  project: string,
  query: { machine?: string; pull_request?: number; limit?: number; after?: string },
) =>
  queryOptions({
    queryKey: ["runs", project, query],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/projects/{project}/runs", { params: { path: { project }, query }, signal })),
  });

/** All series that match. A project may have thousands: never without asking for some of them. */
export const seriesListQuery = (project: string, asked: SeriesAsked) =>
  queryOptions({
    queryKey: ["series-list", project, asked],
    queryFn: async ({ signal }) => ({
      series: await wholeList(
        (page) =>
          dataOf(
            client.GET("/api/v1/projects/{project}/series", {
              params: { path: { project }, query: { ...asked, ...page } },
              signal,
            }),
          ),
        ({ series }) => series,
      ),
    }),
  });

export const seriesQuery = (series_id: number) =>
  queryOptions({
    queryKey: ["series", series_id],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/series/{series_id}", { params: { path: { series_id } }, signal })),
  });

export const pointsQuery = (seriesIds: number[], limit = POINTS_MAX) => {
  const series = seriesIds.slice(0, SERIES_MAX).join(",");
  return queryOptions({
    queryKey: ["points", series, limit],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/points", { params: { query: { series, limit } }, signal })),
    enabled: series !== "",
    placeholderData: keepPreviousData,
  });
};

/** All runs' points of one commit, by its place. */
/** The points of one commit: those that make the trend, or those of pull requests and other branches, too. */
export const pointsAtQuery = (series_id: number, ordinal: number, lines: "main" | "all" = "main") =>
  queryOptions({
    queryKey: ["points-at", series_id, ordinal, lines],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/points", {
          params: { query: { series: String(series_id), from: ordinal, to: ordinal, lines } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** A run, and what it says of all its cases, or of some series' alone. */
export const runQuery = (run_id: string, seriesIds?: number[]) => {
  const series = seriesIds?.slice(0, SERIES_MAX).join(",");
  return queryOptions({
    queryKey: ["run", run_id, series],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/runs/{run_id}", {
          params: { path: { run_id }, query: series === undefined ? {} : { series } },
          signal,
        }),
      ),
    ...FOREVER,
  });
};

export const pointDetailQuery = (run_id: string, series_id: number) =>
  queryOptions({
    queryKey: ["point", run_id, series_id],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/runs/{run_id}/series/{series_id}", {
          params: { path: { run_id, series_id } },
          signal,
        }),
      ),
    ...FOREVER,
  });

/** What series are chosen by; values of one facet are separated by commas. */
export type SeriesAsked = {
  q?: string;
  machine?: string;
  transport?: string;
  scenario?: string;
  mode?: string;
  placement?: string;
  message_bytes?: string;
  peers?: string;
};

export const facetsQuery = (project: string, query: SeriesAsked) =>
  queryOptions({
    queryKey: ["facets", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/series/facets", {
          params: { path: { project }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** One page of the series that match. */
export const foundSeriesQuery = (project: string, query: SeriesAsked & { limit: number; after?: string }) =>
  queryOptions({
    queryKey: ["found-series", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/series", { params: { path: { project }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  });

/** Which part of some series is drawn, and of which figures. */
export type LineAsked = {
  quantiles?: string;
  repetitions?: boolean;
  rate?: boolean;
  last?: number;
  from?: number;
  to?: number;
  points?: number;
};

export const lineQuery = (seriesIds: number[], asked: LineAsked) => {
  const series = seriesIds.slice(0, SERIES_MAX).join(",");
  return queryOptions({
    queryKey: ["line", series, asked],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/charts/line", { params: { query: { series, ...asked } }, signal })),
    enabled: series !== "",
    placeholderData: keepPreviousData,
  });
};

export const heatMapQuery = (
  series_id: number,
  asked: { last?: number; from?: number; to?: number; columns?: number },
) =>
  queryOptions({
    queryKey: ["heatmap", series_id, asked],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/charts/heatmap", { params: { query: { series: series_id, ...asked } }, signal }),
      ),
    placeholderData: keepPreviousData,
  });

export const changePointsQuery = (seriesIds: number[]) => {
  const series = seriesIds.slice(0, SERIES_MAX).join(",");
  return queryOptions({
    queryKey: ["change-points", series],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/charts/changes", { params: { query: { series } }, signal })),
    enabled: series !== "",
    placeholderData: keepPreviousData,
  });
};

/** Which lines a sweep has. */
export type SweepAsked = {
  over: "message_bytes" | "peers" | "senders";
  machine: string;
  scenario: string;
  mode?: string;
  placement?: string;
  commit?: string;
};

export const sweepQuery = (project: string, query: SweepAsked) =>
  queryOptions({
    queryKey: ["sweep", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/charts/sweep", {
          params: { path: { project }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** Two commits or runs, and which of their pairs are told. */
export type ComparedAsked = {
  base: string;
  head: string;
  machine?: string;
  q?: string;
  kind?: string;
  limit?: number;
};

export const compareQuery = (project: string, query: ComparedAsked) =>
  queryOptions({
    queryKey: ["compare", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/compare", { params: { path: { project }, query }, signal }),
      ),
  });

export const commitsQuery = (
  project: string,
  query: { from?: number; to?: number; q?: string; limit?: number; after?: string },
) =>
  queryOptions({
    queryKey: ["commits", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/commits", { params: { path: { project }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  });

export const pullRequestsQuery = (project: string, query: { limit?: number; after?: string }) =>
  queryOptions({
    queryKey: ["pull-requests", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/pull-requests", {
          params: { path: { project }, query },
          signal,
        }),
      ),
  });

/** What a machine's canaries read in its newest runs. */
export const canariesQuery = (project: string, machine: string, last = CANARY_RUNS) =>
  queryOptions({
    queryKey: ["canaries", project, machine, last],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/machines/{machine}/canaries", {
          params: { path: { project, machine }, query: { last } },
          signal,
        }),
      ),
  });

export const membersQuery = (project: string) =>
  queryOptions({
    queryKey: ["members", project],
    queryFn: ({ signal }) =>
      wholeList(
        (query) =>
          dataOf(
            client.GET("/api/v1/projects/{project}/members", {
              params: { path: { project }, query },
              signal,
            }),
          ),
        ({ members }) => members,
      ),
  });

export const channelsQuery = (project: string) =>
  queryOptions({
    queryKey: ["channels", project],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/projects/{project}/channels", { params: { path: { project } }, signal })),
  });

/** The tokens that who asks may manage, of all projects. */
export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) =>
    wholeList(
      (query) => dataOf(client.GET("/api/v1/tokens", { params: { query }, signal })),
      ({ tokens }) => tokens,
    ),
});

export const accountsQuery = queryOptions({
  queryKey: ["accounts"],
  queryFn: ({ signal }) =>
    wholeList(
      (query) => dataOf(client.GET("/api/v1/accounts", { params: { query }, signal })),
      ({ accounts }) => accounts,
    ),
});

/** One page of who changed what, the newest first. */
export const auditQuery = (query: { limit?: number; after?: string }) =>
  queryOptions({
    queryKey: ["audit", query],
    queryFn: ({ signal }) => dataOf(client.GET("/api/v1/audit", { params: { query }, signal })),
  });

/** A commit by its object name, or as many of its first digits as no other has. */
export const commitQuery = (project: string, sha: string) =>
  queryOptions({
    queryKey: ["commit", project, sha],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/commits/{sha}", {
          params: { path: { project, sha } },
          signal,
        }),
      ),
  });

/** The server answers with so many pull requests at a time. */
const PULL_REQUESTS_MAX = 100;

/**
 * One pull request. There is no address for one: the list is asked, the largest number first, until it is reached.
 *
 * @throws ApiError of status 404 when no run names it.
 */
export const pullRequestQuery = (project: string, pull_request: number) =>
  queryOptions({
    queryKey: ["pull-request", project, pull_request],
    queryFn: async ({ signal }) => {
      let after: string | null = null;
      do {
        const query: { limit: number; after?: string } = {
          limit: PULL_REQUESTS_MAX,
          ...(after !== null && { after }),
        };
        const answer: { pull_requests: PullRequestSummary[]; next_after: string | null } = await dataOf(
          client.GET("/api/v1/projects/{project}/pull-requests", {
            params: { path: { project }, query },
            signal,
          }),
        );
        const found = answer.pull_requests.find((entry) => entry.pull_request === pull_request);
        if (found !== undefined) return found;
        const isPassed = (answer.pull_requests.at(-1)?.pull_request ?? 0) < pull_request;
        after = isPassed ? null : answer.next_after;
      } while (after !== null);
      throw new ApiError(
        `No run of ${project} names pull request ${pull_request}.`,
        404,
        "Nothing is here",
        null,
      );
    },
  });

/** What others have published. It changes with the server's program only. */
export const referencesQuery = queryOptions({
  queryKey: ["references"],
  queryFn: ({ signal }) => dataOf(client.GET("/api/v1/references", { signal })),
  ...FOREVER,
});

/** The question of a publication, answered by machine. */
export const workedQuery = (project: string, reference: string) =>
  queryOptions({
    queryKey: ["worked", project, reference],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/references/{reference}", {
          params: { path: { project, reference } },
          signal,
        }),
      ),
  });

/** How large messages are in real traffic. */
export const sizeProfilesQuery = queryOptions({
  queryKey: ["size-profiles"],
  queryFn: ({ signal }) => dataOf(client.GET("/api/v1/size-profiles", { signal })),
  ...FOREVER,
});
