import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { client } from "./client";
import { lostSince } from "./connection";
import { follow } from "./live";
import { projectQuery, runQuery } from "./queries";

/** The parts of a browser's event source that are used; tests dispatch the events. */
class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  static all: FakeEventSource[] = [];
  readyState = 0;

  constructor(readonly url: string) {
    super();
    FakeEventSource.all.push(this);
  }

  close() {
    this.readyState = FakeEventSource.CLOSED;
  }

  static get last(): FakeEventSource {
    const last = FakeEventSource.all.at(-1);
    if (last === undefined) throw new Error("No stream was opened.");
    return last;
  }
}

const asked: string[] = [];
let runCount = 0;
let visibility: DocumentVisibilityState = "visible";
let queryClient: QueryClient;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeEventSource);
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  vi.spyOn(client, "GET").mockImplementation((async (path: string) => {
    asked.push(path);
    return { data: { project: "libfoo", run_count: runCount }, response: new Response() };
  }) as never);
  FakeEventSource.all = [];
  asked.length = 0;
  runCount = 1;
  visibility = "visible";
  queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
});

afterEach(() => {
  stop();
  queryClient.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Shows a page with the project, and with a run, which never changes. */
async function show() {
  const observers = [
    new QueryObserver(queryClient, projectQuery("libfoo")),
    new QueryObserver(queryClient, runQuery("019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b")),
  ];
  for (const observer of observers) observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  stop = follow("libfoo", queryClient);
  asked.length = 0;
}

async function emit(name: string) {
  FakeEventSource.last.dispatchEvent(new Event(name));
  await vi.advanceTimersByTimeAsync(0);
}

async function look(state: DocumentVisibilityState) {
  visibility = state;
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(0);
}

it("refetches on events of new runs", async () => {
  await show();
  expect(FakeEventSource.last.url).toBe("/api/v1/projects/libfoo/events");
  await emit("runs");
  expect(asked).toEqual(["/api/v1/projects/{project}"]);
});

it("refetches once for several events", async () => {
  await show();
  await emit("runs");
  for (let event = 0; event < 5; event++) await emit("runs");
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(2);
});

it.each(["open", "gap"])("finds out on %s whether something was missed", async (name) => {
  await show();
  await emit(name);
  expect(asked).toHaveLength(1);
  runCount = 2;
  await emit(name);
  // Once for the number of runs, once for the visible data.
  expect(asked).toHaveLength(3);
});

it("reports a lost stream until it reconnects or has no subscribers", async () => {
  await show();
  expect(lostSince()).toBeNull();
  await emit("error");
  const since = lostSince();
  expect(since).not.toBeNull();
  await vi.advanceTimersByTimeAsync(5_000);
  await emit("error");
  expect(lostSince()).toBe(since);
  await emit("open");
  expect(lostSince()).toBeNull();
  await emit("error");
  stop();
  expect(lostSince()).toBeNull();
});

it("is connected only while the page is visible", async () => {
  await show();
  const first = FakeEventSource.last;
  await look("hidden");
  expect(first.readyState).toBe(FakeEventSource.CLOSED);
  expect(FakeEventSource.all).toHaveLength(1);
  await look("visible");
  expect(FakeEventSource.all).toHaveLength(2);
  stop();
  expect(FakeEventSource.last.readyState).toBe(FakeEventSource.CLOSED);
  await look("visible");
  expect(FakeEventSource.all).toHaveLength(2);
});

it("retries rejected streams later, and leaves broken ones to the browser", async () => {
  await show();
  await emit("error");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeEventSource.all).toHaveLength(1);
  FakeEventSource.last.close();
  await emit("error");
  await vi.advanceTimersByTimeAsync(29_000);
  expect(FakeEventSource.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(FakeEventSource.all).toHaveLength(2);
});
