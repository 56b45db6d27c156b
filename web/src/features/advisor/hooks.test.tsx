import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AdviceAsked } from "@/api/queries";
import { useDrafted } from "@/lib/hooks";
import { useAdvice } from "./useAdvice";

/** The requests in order, each with a function that answers it. */
const asked: { sizes: string | undefined; answer: () => void }[] = [];

vi.mock("@/api/queries", () => ({
  adviceQuery: (_: string, query: AdviceAsked) => ({
    queryKey: ["advice", query],
    queryFn: () =>
      new Promise((resolve) => {
        asked.push({ sizes: query.sizes, answer: () => resolve(query.sizes) });
      }),
    placeholderData: (previous: unknown) => previous,
  }),
}));

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

function showAdvice(sizes: string | null) {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(
    (wanted: string | null) => useAdvice("libfoo", wanted === null ? null : { sizes: wanted, by: "p50" }),
    { wrapper, initialProps: sizes },
  );
}

it("requests the newest value after the previous response, and shows that meanwhile", async () => {
  const { result, rerender } = showAdvice("1:1");
  await pass(0);
  for (const sizes of ["1:2", "1:3", "1:4"]) {
    rerender(sizes);
    await pass(120);
  }
  expect(asked.map(({ sizes }) => sizes)).toEqual(["1:1"]);
  asked[0]?.answer();
  await pass(120);
  expect(asked.map(({ sizes }) => sizes)).toEqual(["1:1", "1:4"]);
  expect([result.current.data, result.current.isBehind]).toEqual(["1:1", true]);
  asked[1]?.answer();
  await pass(0);
  expect([result.current.data, result.current.isBehind]).toEqual(["1:4", false]);
});

it("sends at most one request per 120 ms", async () => {
  const { rerender } = showAdvice("1:0");
  for (let moved = 1; moved <= 20; moved++) {
    await pass(10);
    for (const { answer } of asked) answer();
    rerender(`1:${moved}`);
  }
  await pass(120);
  expect(asked.at(-1)?.sizes).toBe("1:20");
  expect(asked.length).toBeLessThanOrEqual(5);
});

it("sends no request without a value", async () => {
  const { rerender } = showAdvice(null);
  await pass(500);
  expect(asked).toEqual([]);
  rerender("1:1");
  await pass(120);
  expect(asked).toHaveLength(1);
});

it("applies a draft immediately and writes it after a pause", async () => {
  const write = vi.fn(() => Promise.resolve());
  const { result, rerender } = renderHook((written: string) => useDrafted(written, write), {
    initialProps: "as written",
  });
  for (const value of ["a", "b", "c"]) {
    act(() => result.current[1](value));
    expect(result.current[0]).toBe(value);
    await pass(120);
  }
  expect(write).not.toHaveBeenCalled();
  await pass(250);
  expect(write.mock.calls).toEqual([["c"]]);
  rerender("c, written");
  expect(result.current[0]).toBe("c, written");
});
