import { describe, expect, it } from "vitest";
import type { MachineDay } from "@/api/types";
import {
  cellsOf,
  cellText,
  detectableText,
  environmentChanges,
  newestDetectable,
  stripText,
} from "./history";

function aDay(day: string, change: Partial<MachineDay> = {}): MachineDay {
  return {
    day,
    run_count: 2,
    state: "steady",
    because: null,
    environment_id: 1,
    detectable_change: 0.021,
    ...change,
  };
}

const environment = (environment_id: number, stable: Record<string, string>) => ({
  environment_id,
  first_run_at: "2026-11-01T00:00:00Z",
  last_run_at: "2026-11-30T00:00:00Z",
  run_count: 3,
  stable,
});

describe("cells", () => {
  it("are days if the history is short, also those without runs", () => {
    const cells = cellsOf([aDay("2026-11-01"), aDay("2026-11-03", { state: "drift" })], []);
    expect(cells.map(({ from, to, state }) => [from, to, state])).toEqual([
      ["2026-11-01", "2026-11-01", "steady"],
      ["2026-11-02", "2026-11-02", "none"],
      ["2026-11-03", "2026-11-03", "drift"],
    ]);
    expect(cellsOf([], [])).toEqual([]);
  });

  it("are weeks with their worst day if it is long, and end with the last day", () => {
    const days = [
      aDay("2026-01-01"),
      aDay("2026-11-24", { state: "suspect", because: "too many shifts" }),
      aDay("2026-11-30", { state: "known-state", because: "switched" }),
    ];
    const cells = cellsOf(days, []);
    expect(cells).toHaveLength(48);
    expect(cells.at(-1)).toEqual({
      from: "2026-11-24",
      to: "2026-11-30",
      state: "suspect",
      because: ["too many shifts"],
      run_count: 4,
      changes: [],
    });
  });

  it("have the changes of environment that begin in them", () => {
    const days = [aDay("2026-11-01"), aDay("2026-11-02", { environment_id: 2 })];
    const environments = [environment(1, { "os.kernel": "6.1" }), environment(2, { "os.kernel": "6.2" })];
    const [, second] = cellsOf(days, environmentChanges(days, environments));
    expect(second && cellText(second)).toBe("2 Nov 2026: Steady, 2 runs, os.kernel 6.1 → 6.2");
  });

  it("are counted in a sentence", () => {
    const days = [aDay("2026-11-01"), aDay("2026-11-02"), aDay("2026-11-03", { state: "drift" })];
    expect(stripText(cellsOf(days, []))).toBe("Last 3 days: 1 drift, 2 steady");
  });
});

it("environments are compared each time they change, newest first", () => {
  const days = [1, 2, 2, 1, 9].map((environment_id, index) =>
    aDay(`2026-11-0${index + 1}`, { environment_id }),
  );
  const found = environmentChanges(days, [environment(1, { a: "x" }), environment(2, { a: "y" })]);
  expect(found).toEqual([
    // Environment 9 is not listed.
    { since: "2026-11-05", facts: [] },
    { since: "2026-11-04", facts: [{ name: "a", before: "y", after: "x" }] },
    { since: "2026-11-02", facts: [{ name: "a", before: "x", after: "y" }] },
  ]);
});

it("the newest day gives the detectable change", () => {
  const days = [aDay("2026-11-01", { detectable_change: 0.05 }), aDay("2026-11-02")];
  expect(detectableText(newestDetectable(days))).toBe("≥ 2.1 %");
  expect(detectableText(newestDetectable([]))).toBe("too few repetitions");
});
