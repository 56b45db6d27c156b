import { expect, test } from "vitest";
import type { MachineSummary } from "@/api/types";
import { anAgent, aReading } from "@/test/fixtures";
import {
  driftText,
  factChanges,
  falseComparisonsText,
  fleetSentence,
  machineSentence,
  membersOf,
  stretchesOf,
} from "./data";
import { parseMachineSearch } from "./search";

const STEADY = { suspectBecause: null, silence: null, isWatched: true };
const SUSPECT = { ...STEADY, suspectBecause: "it made changes by itself at 4 commits" };
const SILENT = { ...STEADY, silence: { since: "2026-11-14T10:42:00", usual_ms: 7_200_000 } };
const fleet = (...healths: (typeof STEADY | typeof SILENT | typeof SUSPECT)[]) =>
  fleetSentence(
    healths.map((health, index) => ({ machine: `lab-${index + 1}`, summary: null, agent: null, health })),
  );

test("machines are counted while they are well, and named when they are not", () => {
  expect(fleet(STEADY, STEADY)).toBe("All two machines are steady.");
  expect(fleet(STEADY)).toBe("lab-1 is steady.");
  expect(fleet(STEADY, SUSPECT, SILENT)).toBe(
    "Of three machines one is steady; lab-2 is suspect; lab-3 is silent since 14 Nov 2026, 10:42.",
  );
  expect(fleet()).toBe("No machine has measured anything yet.");
});

test("a machine with an agent is heard of without measuring, and what its agent says counts", () => {
  const member = { machine: "lab-1", summary: null, agent: anAgent(), health: SILENT };
  expect(fleetSentence([member])).toBe("lab-1 is steady.");
  expect(fleetSentence([{ ...member, agent: anAgent({ is_online: false, failing: ["no compiler"] }) }])).toBe(
    "lab-1 is failing and offline.",
  );
});

test("machines without an agent are listed, and agents that have measured nothing yet", () => {
  const measured = { machine: "lab-2" } as MachineSummary;
  const members = membersOf([measured], [anAgent({ machine: "lab-1" })], new Map([["lab-2", STEADY]]));
  expect(members.map(({ machine, summary, agent }) => [machine, summary !== null, agent !== null])).toEqual([
    ["lab-1", false, true],
    ["lab-2", true, false],
  ]);
});

test("no machine is called steady on which no canary was read", () => {
  expect(fleet({ ...STEADY, isWatched: false }, STEADY)).not.toContain("steady");
  expect(machineSentence("lab-1", { ...STEADY, isWatched: false })).not.toContain("steady");
});

test("a machine's sentence says why it is suspect and since when it is silent", () => {
  expect(machineSentence("lab-1", STEADY)).toBe("lab-1 is steady.");
  expect(machineSentence("lab-1", { ...SUSPECT, silence: SILENT.silence })).toBe(
    "lab-1 is suspect: it made changes by itself at 4 commits. It is silent since 14 Nov 2026, 10:42; its runs usually begin every 2 h.",
  );
});

test("an environment is told each time that it begins, by its newest run", () => {
  const readings = [1, 1, 2, 1].map((environment_id, index) =>
    aReading({ environment_id, run_id: `run-${index}`, started_at: `day ${index}` }),
  );
  expect(stretchesOf(readings)).toEqual([
    { environment_id: 1, since: "day 3", newest_run_id: "run-3" },
    { environment_id: 2, since: "day 2", newest_run_id: "run-2" },
    { environment_id: 1, since: "day 0", newest_run_id: "run-1" },
  ]);
});

test("only the facts that differ are told, also those that came and went", () => {
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

test("a canary’s way is told in words, and as none where it is too short to be written", () => {
  const drift = { newest_ns: 104, before_ns: 100, share: 0.04, before_count: 25 };
  expect(driftText(drift)).toBe("newest five +4.0 % against the 25 before");
  expect(driftText({ ...drift, share: -0.0001 })).toBe("newest five as the 25 before");
  expect(driftText(null)).toContain("too few readings");
});

test("wrong comparisons are told with their interval, and nothing where none was made", () => {
  expect(falseComparisonsText({ count: 0, of_count: 200, share: 0, interval: [0, 0.0183] })).toBe(
    "Of 200 comparisons of a commit with itself here, none found a change that is not there (0.00 %; 95 %: 0.00 % to 1.8 %).",
  );
  expect(falseComparisonsText({ count: 0, of_count: 0, share: null, interval: null })).toBeNull();
});

test("the address says how far canaries reach back, as far as it is understood", () => {
  expect(parseMachineSearch({ last: 50 })).toEqual({ last: 50 });
  expect(parseMachineSearch({ last: 7 })).toEqual({});
});
