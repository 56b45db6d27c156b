/**
 * Live updates: refetches data when the server reports new runs. Only while the page is visible, because browsers limit
 * connections per server.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { streamIsLost, streamIsThere } from "./connection";
import { isChangeable, projectQuery } from "./queries";

/** Minimum interval between refetches. */
const PAUSE_MS = 1_000;
/** Retry delay after a rejected stream, when the server was full or stopping. */
const RECONNECT_MS = 30_000;

/** Follows the project while the component is mounted. */
export function useLive(project: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => (project === undefined ? undefined : follow(project, queryClient)), [project, queryClient]);
}

/** Follows a project until the returned function is called. */
export function follow(project: string, queryClient: QueryClient): () => void {
  let source: EventSource | null = null;
  let reconnecting: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  let isRefreshing = false;
  let isOver = false;

  /** Refetches visible data; once more if events arrive meanwhile. */
  async function refresh() {
    isDue = true;
    if (isRefreshing) return;
    isRefreshing = true;
    while (isDue && !isOver) {
      isDue = false;
      await queryClient.invalidateQueries({ predicate: isChangeable });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    isRefreshing = false;
  }

  /** Detects missed events by the number of runs. */
  async function catchUp() {
    const query = projectQuery(project);
    const known = queryClient.getQueryData(query.queryKey);
    if (known === undefined) return;
    const { run_count } = await queryClient.fetchQuery({ ...query, staleTime: 0 });
    if (run_count !== known.run_count) await refresh();
  }

  function connect() {
    disconnect();
    if (isOver || document.visibilityState !== "visible") return;
    source = new EventSource(`/api/v1/projects/${encodeURIComponent(project)}/events`);
    // Errors are shown by the page; the next event retries.
    source.addEventListener("open", () => {
      streamIsThere();
      void catchUp().catch(() => {});
    });
    source.addEventListener("gap", () => void catchUp().catch(() => {}));
    source.addEventListener("runs", () => void refresh());
    source.addEventListener("error", () => {
      streamIsLost();
      // Browsers reconnect a broken connection, but not a rejected one.
      if (source?.readyState === EventSource.CLOSED) reconnecting = setTimeout(connect, RECONNECT_MS);
    });
  }

  function disconnect() {
    clearTimeout(reconnecting);
    source?.close();
    source = null;
  }

  connect();
  document.addEventListener("visibilitychange", connect);
  return () => {
    isOver = true;
    disconnect();
    document.removeEventListener("visibilitychange", connect);
    // Without subscribers there is no stream to lose.
    streamIsThere();
  };
}
