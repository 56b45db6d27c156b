import { expect, test } from "vitest";
import type { MachineSummary } from "@/api/types";
import { aMachine, anAgent } from "@/test/fixtures";
import {
  driftText,
  factChanges,
  falseComparisonsText,
  fleetSentence,
  knownStatesText,
  machineSentence,
  membersOf,
} from "./data";
import { parseMachineSearch } from "./search";

const STABLE = { suspectBecause: null, silence: null, isWatched: true };
const SUSPECT = { ...STABLE, suspectBecause: "results shifted without a code change at 4 commits" };
const OVERDUE = { ...STABLE, silence: { since: "2026-11-14T10:42:00", usual_ms: 7_200_000 } };
const fleet = (...healths: (typeof STABLE | typeof OVERDUE | typeof SUSPECT)[]) =>
  fleetSentence(
    healths.map((health, index) => ({ machine: `lab-${index + 1}`, summary: null, agent: null, health })),
  );

test("stable machines are counted, others named", () => {
  expect(fleet(STABLE, STABLE)).toBe("All 2 machines stable");
  expect(fleet(STABLE)).toBe("lab-1: stable");
  expect(fleet(STABLE, SUSPECT, OVERDUE)).toBe(
    "1 of 3 machines stable; lab-2 suspect; lab-3 overdue since 14 Nov 2026, 10:42",
  );
  expect(fleet()).toBe("No machines yet");
});

test("the state of the agent counts instead of runs", () => {
  const member = { machine: "lab-1", summary: null, agent: anAgent(), health: OVERDUE };
  expect(fleetSentence([member])).toBe("lab-1: stable");
  expect(fleetSentence([{ ...member, agent: anAgent({ is_online: false, failing: ["no compiler"] }) }])).toBe(
    "lab-1 failing and offline",
  );
});

test("machines without an agent and agents without runs are listed", () => {
  const measured = { machine: "lab-2" } as MachineSummary;
  const members = membersOf([measured], [anAgent({ machine: "lab-1" })], new Map([["lab-2", STABLE]]));
  expect(members.map(({ machine, summary, agent }) => [machine, summary !== null, agent !== null])).toEqual([
    ["lab-1", false, true],
    ["lab-2", true, false],
  ]);
});

test("no machine is called stable without canary readings", () => {
  expect(fleet({ ...STABLE, isWatched: false }, STABLE)).not.toContain("stable");
  expect(machineSentence("lab-1", { ...STABLE, isWatched: false })).not.toContain("stable");
});

test("the headline shows why a machine is suspect and since when it is overdue", () => {
  expect(machineSentence("lab-1", STABLE)).toBe("lab-1: stable");
  expect(machineSentence("lab-1", { ...SUSPECT, silence: OVERDUE.silence })).toBe(
    "lab-1: suspect, results shifted without a code change at 4 commits; overdue since 14 Nov 2026, 10:42, expected every 2 h",
  );
});

test("only changed facts are listed, also added and removed ones", () => {
  expect(
    factChanges(
      { "os.kernel": "6.1", "cpu.model": "A", old: "x" },
      { "os.kernel": "6.2", "cpu.model": "A", new: "y" },
    ),
  ).toEqual([
    { name: "new", before: null, after: "y" },
    { name: "old", before: "x", after: null },
    { name: "os.kernel", before: "6.1", after: "6.2" },
  ]);
});

test("drift is shown in percent, or as unchanged", () => {
  const drift = { newest_ns: 104, before_ns: 100, share: 0.04, before_count: 25 };
  expect(driftText(drift)).toBe("last 5 runs +4.0 % vs previous 25");
  expect(driftText({ ...drift, share: -0.0001 })).toBe("last 5 runs unchanged vs previous 25");
  expect(driftText(null)).toContain("too few readings");
});

test("false positives are shown with their interval, if there are comparisons", () => {
  expect(falseComparisonsText({ count: 0, of_count: 200, share: 0, interval: [0, 0.0183] })).toBe(
    "0 of 200 A/A comparisons (0.00 %, 95 % CI 0.00 % to 1.8 %)",
  );
  expect(falseComparisonsText({ count: 0, of_count: 0, share: null, interval: null })).toBeNull();
});

test("switches between known states are counted, if there are any", () => {
  expect(knownStatesText(aMachine({ known_state_changes: 4 }))).toBe(
    "Switched between known states 4 times in its newest 50 runs. These switches send no alerts.",
  );
  expect(knownStatesText(aMachine({ known_state_changes: 1 }))).toContain("1 time in");
  expect(knownStatesText(aMachine())).toBeNull();
});

test("invalid ranges in the address are ignored", () => {
  expect(parseMachineSearch({ last: 50 })).toEqual({ last: 50 });
  expect(parseMachineSearch({ last: 7 })).toEqual({});
});
