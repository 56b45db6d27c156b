/** What is asked of the lab: its jobs, its agents, its schedules. */
import { queryOptions } from "@tanstack/react-query";
import { client, dataOf } from "./client";
import { wholeList } from "./list";

/** How often what no run tells of is asked for while it is looked at: a job that begins, an agent that falls silent. */
const LAB_PERIOD_MS = 10_000;

export const jobsQuery = (
  project: string,
  query: { done?: boolean; regression?: number; limit?: number; after?: string },
) =>
  queryOptions({
    queryKey: ["jobs", project, query],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/api/v1/projects/{project}/jobs", { params: { path: { project }, query }, signal })),
    refetchInterval: LAB_PERIOD_MS,
  });

export const jobQuery = (project: string, job_id: number) =>
  queryOptions({
    queryKey: ["job", project, job_id],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/jobs/{job_id}", {
          params: { path: { project, job_id } },
          signal,
        }),
      ),
    // What is over stays as it is.
    refetchInterval: ({ state: { data } }) => (data?.done_at == null ? LAB_PERIOD_MS : false),
  });

/** The agents that may work for a project. */
export const agentsQuery = (project: string) =>
  queryOptions({
    queryKey: ["agents", project],
    queryFn: ({ signal }) =>
      wholeList(
        (query) =>
          dataOf(
            client.GET("/api/v1/projects/{project}/agents", {
              params: { path: { project }, query },
              signal,
            }),
          ),
        ({ agents }) => agents,
      ),
    refetchInterval: LAB_PERIOD_MS,
  });

export const schedulesQuery = (project: string) =>
  queryOptions({
    queryKey: ["schedules", project],
    queryFn: async ({ signal }) => {
      const { schedules } = await dataOf(
        client.GET("/api/v1/projects/{project}/schedules", { params: { path: { project } }, signal }),
      );
      return schedules;
    },
  });
