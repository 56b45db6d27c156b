/**
 * Keeps a project's pages true while somebody looks at them: the server tells of new runs, and what is shown is asked for
 * again. Only while the page is visible, because browsers open few connections to one server and hidden pages would
 * take them all.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { streamIsLost, streamIsThere } from "./connection";
import { isChangeable, projectQuery } from "./queries";

/** Between two times of asking again: a busy project has new runs more often than anybody reads. */
const PAUSE_MS = 1_000;
/** When a server is tried again that refused: it was full, or about to end. */
const RECONNECT_MS = 30_000;

/** Follows the project for as long as the component is there. */
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

  /** Asks again for what is shown; for what is told meanwhile, once more afterwards. */
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

  /** Something may have been missed: the number of runs tells whether it was. */
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
    // What does not arrive now is shown by the page itself, or asked for the next time.
    source.addEventListener("open", () => {
      streamIsThere();
      void catchUp().catch(() => {});
    });
    source.addEventListener("gap", () => void catchUp().catch(() => {}));
    source.addEventListener("runs", () => void refresh());
    source.addEventListener("error", () => {
      streamIsLost();
      // A broken connection is renewed by the browser, a refused one is not.
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
    // What nobody follows any more cannot be lost.
    streamIsThere();
  };
}
