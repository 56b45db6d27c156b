/** One query per endpoint: its cache key, how to ask, and how long the answer stays fresh. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, dataOf } from "./client";
import { wholeList } from "./list";

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

/** Who asks. It changes with the page only: signing in and out loads a new one. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => dataOf(client.GET("/api/v1/session", { signal })),
  ...FOREVER,
});

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: async ({ signal }) => ({
    projects: await wholeList(
      (query) => dataOf(client.GET("/api/v1/projects", { params: { query }, signal })),
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

export const runsQuery = (project: string, query: { machine?: string; limit?: number; after?: string }) =>
  queryOptions({
    queryKey: ["runs", project, query],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/projects/{project}/runs", { params: { path: { project }, query }, signal })),
  });

export const seriesListQuery = (project: string) =>
  queryOptions({
    queryKey: ["series-list", project],
    queryFn: async ({ signal }) => ({
      series: await wholeList(
        (query) =>
          dataOf(
            client.GET("/api/v1/projects/{project}/series", { params: { path: { project }, query }, signal }),
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

export const runQuery = (run_id: string) =>
  queryOptions({
    queryKey: ["run", run_id],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id } }, signal })),
    ...FOREVER,
  });

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
