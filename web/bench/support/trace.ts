/** The tasks of the page's main thread, from a trace of the browser. */
import type { Browser, Page } from "@playwright/test";

type TraceEvent = {
  name: string;
  pid: number;
  tid: number;
  /** Start, duration and CPU time in microseconds. */
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { data?: { type?: string } };
};

/**
 * An uninterrupted task of the main thread: its CPU time, which other programs on a busy machine do not increase, and
 * whether a pointer move started in it.
 */
type Task = { us: number; hasMove: boolean };

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"];

/** Returns the tasks of the page's main thread during an action, in order. */
export async function tasksDuring(browser: Browser, page: Page, act: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories: CATEGORIES });
  let failure: unknown;
  await act().catch((error: unknown) => {
    failure = error;
  });
  // Always stop, because the browser allows only one trace at a time.
  const buffer = await browser.stopTracing();
  if (failure !== undefined) throw failure;
  return tasksOf(JSON.parse(buffer.toString("utf8")).traceEvents);
}

function tasksOf(events: TraceEvent[]): Task[] {
  const inputs = events.filter(
    ({ name, args }) => name === "EventDispatch" && args?.data?.type !== undefined,
  );
  const moves = inputs.filter(({ args }) => args?.data?.type === "mousemove");
  // Other pages and the browser have main threads too. The page's is the one that receives input events.
  const [input] = inputs;
  if (input === undefined) throw new Error("The trace has no input event of the page.");
  const tasks = events
    .filter(
      ({ name, pid, tid, dur }) =>
        name === "RunTask" && pid === input.pid && tid === input.tid && dur !== undefined,
    )
    .sort((one, other) => one.ts - other.ts);
  if (tasks.length === 0) throw new Error("The trace has no tasks of the page.");
  return tasks.map(({ ts, dur = 0, tdur = dur }) => ({
    us: tdur,
    hasMove: moves.some((move) => move.ts >= ts && move.ts < ts + dur),
  }));
}

/** Returns the work of the main thread for each pointer move: all tasks from its event until the next move. */
export function workOfMoves(tasks: Task[]): number[] {
  const work: number[] = [];
  for (const { us, hasMove } of tasks) {
    if (hasMove) work.push(us);
    else if (work.length > 0) work[work.length - 1] = (work.at(-1) ?? 0) + us;
  }
  // Tasks after the last move may be unrelated.
  return work.slice(0, -1);
}

export const longest = (tasks: Task[]): number => Math.max(...tasks.map(({ us }) => us));
