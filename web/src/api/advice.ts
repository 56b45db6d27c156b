/** Which transport is the fastest for messages of some sizes. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, dataOf } from "./client";

/** What advice is about: a profile of the server, or sizes as text. */
export type AdviceAsked = {
  profile?: string;
  sizes?: string;
  machine?: string;
  placement?: string;
  mode?: string;
  by: "p50" | "p98" | "p99" | "mean";
  rate_per_second?: number;
};

/** While one drags, each answer is of use for a moment only. */
const KEPT_MS = 10_000;

export const adviceQuery = (project: string, query: AdviceAsked) =>
  queryOptions({
    queryKey: ["advice", project, query],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/api/v1/projects/{project}/advice", { params: { path: { project }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
  });
