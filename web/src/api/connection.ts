/**
 * Connection state: network, server responses and the event stream of new runs. All recover by themselves.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { createSignal } from "@/lib/signal";
import { ApiError } from "./errors";

/** The problem, and since when data may be stale. */
export type Connection =
  | { kind: "live" }
  | { kind: "offline"; since: Date }
  | { kind: "no answer"; since: Date }
  | { kind: "not live"; since: Date };

/** Grace period before a lost stream is reported, for example while the server restarts. */
const PATIENCE_MS = 4_000;

let streamLostSince: Date | null = null;
const stream = createSignal();

/** The event stream broke or was rejected. */
export function streamIsLost(): void {
  change(streamLostSince ?? new Date());
}

/** The event stream is connected or not needed. */
export function streamIsThere(): void {
  change(null);
}

export function lostSince(): Date | null {
  return streamLostSince;
}

function change(since: Date | null): void {
  streamLostSince = since;
  stream.notify();
}

export function useConnection(): Connection {
  const isOnline = useSyncExternalStore(followNetwork, () => navigator.onLine);
  const lost = usePatiently(useSyncExternalStore(stream.subscribe, lostSince));
  const unanswered = useUnanswered();
  const queryClient = useQueryClient();
  if (!isOnline) return { kind: "offline", since: newestAnswer(queryClient) };
  if (unanswered) return { kind: "no answer", since: newestAnswer(queryClient) };
  return lost === null ? { kind: "live" } : { kind: "not live", since: lost };
}

function useUnanswered(): boolean {
  const queryClient = useQueryClient();
  const [isUnanswered, setIsUnanswered] = useState(false);
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        if (event.action.type === "success") setIsUnanswered(false);
        if (event.action.type !== "error" && event.action.type !== "failed") return;
        const { error } = event.action;
        if (error instanceof ApiError) setIsUnanswered(error.status === null);
      }),
    [queryClient],
  );
  return isUnanswered;
}

/** The time of the last response. */
function newestAnswer(queryClient: QueryClient): Date {
  const moments = queryClient
    .getQueryCache()
    .getAll()
    .map(({ state }) => state.dataUpdatedAt);
  return new Date(Math.max(0, ...moments) || Date.now());
}

function usePatiently(lost: Date | null): Date | null {
  const [reported, setReported] = useState<Date | null>(null);
  useEffect(() => {
    if (lost === null) {
      setReported(null);
      return;
    }
    const timer = setTimeout(() => setReported(lost), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  return lost === null ? null : reported;
}

function followNetwork(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}
