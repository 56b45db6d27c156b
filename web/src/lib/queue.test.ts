import { expect, it } from "vitest";
import { aJob, anImport, aRunSummary } from "@/test/fixtures";
import { pacesOf, paceText, queueOf, queueText, reasonText } from "./queue";

const run = (minutes: number) =>
  aRunSummary({
    started_at: "2026-11-14T11:00:00Z",
    finished_at: new Date(Date.parse("2026-11-14T11:00:00Z") + minutes * 60_000).toISOString(),
  });
const paces = pacesOf([run(2), run(4), run(30), anImport({ machine: "lab-mac-2" })]);

it("estimates by the median of the machine's runs, of which imports are none", () => {
  expect([...paces]).toEqual([["lab-linux-1", { median_ms: 240_000, run_count: 3 }]]);
  expect(paceText({ median_ms: 240_000, run_count: 3 })).toBe("the median of its last 3 runs is 4 min");
  expect(paceText({ median_ms: 240_000, run_count: 1 })).toBe("its last run took 4 min");
});

it("waits by machine, the oldest first, each behind those before it", () => {
  const done = aJob({ job_id: 2, done_at: "2026-11-24T10:05:00Z" });
  const queue = queueOf(
    [aJob({ job_id: 7 }), aJob({ job_id: 3 }), done, aJob({ machine: "lab-mac-2" })],
    paces,
  );
  expect(queue.map(({ job, ahead, estimate_ms }) => [job.job_id, ahead, estimate_ms])).toEqual([
    [3, 0, 240_000],
    [7, 1, 480_000],
    [1, 0, null],
  ]);
  expect(queueText(queue, "lab-linux-1")).toBe("2 queued, about 8 min");
  expect(queueText(queue, "lab-mac-2")).toBe("1 queued");
  expect(queueText(queue, "lab-win-1")).toBeNull();
});

it("says why a commit is measured, and shows a reason that it does not know", () => {
  expect(reasonText("repeat")).toContain("once does not tell");
  expect(reasonText("asked-for")).toBe("asked-for");
});
