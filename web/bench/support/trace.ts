/** What the page's main thread did, as the browser traced it. */
import type { Browser, Page } from "@playwright/test";

type TraceEvent = {
  name: string;
  pid: number;
  tid: number;
  /** When it began, how long it took, and how long a processor worked on it, in microseconds. */
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { data?: { type?: string } };
};

/**
 * A piece of work that nothing could interrupt, by the processor's time: what others take on a busy machine is not the
 * page's. And whether the pointer's moving began in it.
 */
type Task = { us: number; hasMove: boolean };

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"];

/** The tasks of the page's main thread while something is done to it, in their order. */
export async function tasksDuring(browser: Browser, page: Page, act: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories: CATEGORIES });
  let failure: unknown;
  await act().catch((error: unknown) => {
    failure = error;
  });
  // In any case, or no other can begin.
  const buffer = await browser.stopTracing();
  if (failure !== undefined) throw failure;
  return tasksOf(JSON.parse(buffer.toString("utf8")).traceEvents);
}

function tasksOf(events: TraceEvent[]): Task[] {
  const inputs = events.filter(
    ({ name, args }) => name === "EventDispatch" && args?.data?.type !== undefined,
  );
  const moves = inputs.filter(({ args }) => args?.data?.type === "mousemove");
  // Other pages and the browser itself have main threads, too: the page's is where its events arrive.
  const [input] = inputs;
  if (input === undefined) throw new Error("The trace has no event of the page: nothing reached it.");
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

/** What each move of the pointer made the main thread do until the next: the event, what it changed, layout and paint. */
export function workOfMoves(tasks: Task[]): number[] {
  const work: number[] = [];
  for (const { us, hasMove } of tasks) {
    if (hasMove) work.push(us);
    else if (work.length > 0) work[work.length - 1] = (work.at(-1) ?? 0) + us;
  }
  // After the last comes what has nothing to do with it.
  return work.slice(0, -1);
}

export const longest = (tasks: Task[]): number => Math.max(...tasks.map(({ us }) => us));
