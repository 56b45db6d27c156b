import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { streamIsLost, streamIsThere } from "@/api/connection";
import { ApiError, errorOfNoResponse } from "@/api/errors";
import { formatClock } from "@/lib/time";
import { Connection } from "./Layout";

let isOnline = true;
let queryClient: QueryClient;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.spyOn(navigator, "onLine", "get").mockImplementation(() => isOnline);
  isOnline = true;
  queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queryClient}>
      <Connection />
    </QueryClientProvider>,
  );
});

afterEach(() => {
  act(streamIsThere);
  queryClient.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const line = () => screen.getByRole("status").textContent;

function network(on: boolean) {
  isOnline = on;
  act(() => void window.dispatchEvent(new Event(on ? "online" : "offline")));
}

/** A request that succeeds, or fails with an error. */
async function asked(error: Error | null) {
  await act(async () => {
    const queryFn = () => (error === null ? Promise.resolve(1) : Promise.reject(error));
    void queryClient.fetchQuery({ queryKey: ["some"], queryFn, staleTime: 0 }).catch(() => {});
    await vi.advanceTimersByTimeAsync(10);
  });
}

it("shows nothing while connected", () => {
  expect(line()).toBe("");
});

it("shows since when it is offline", async () => {
  await asked(null);
  const answered = formatClock(new Date());
  await act(() => vi.advanceTimersByTimeAsync(120_000));
  network(false);
  expect(line()).toContain(`Offline. Data from ${answered}`);
  network(true);
  expect(line()).toBe("");
});

it("shows that the server is not responding", async () => {
  await asked(null);
  await asked(errorOfNoResponse());
  expect(line()).toContain("Server not responding");
  await asked(null);
  expect(line()).toBe("");
});

it("counts an error response as a response", async () => {
  await asked(errorOfNoResponse());
  await asked(new ApiError("there is no project nope", 404, "Not found", null));
  expect(line()).toBe("");
});

it("reports lost live updates after a while, but not short losses", async () => {
  act(streamIsLost);
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  act(streamIsThere);
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(line()).toBe("");
  const since = formatClock(new Date());
  act(streamIsLost);
  await act(() => vi.advanceTimersByTimeAsync(600_000));
  expect(line()).toContain(`Live updates lost at ${since}`);
  act(streamIsThere);
  expect(line()).toBe("");
});

it("refetches on request", async () => {
  const asking = vi.spyOn(queryClient, "invalidateQueries");
  await asked(errorOfNoResponse());
  act(() => screen.getByRole("button", { name: "Refresh" }).click());
  expect(asking).toHaveBeenCalledOnce();
});
