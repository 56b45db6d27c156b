import { expect, it } from "vitest";
import { parseMeasureSearch } from "@/lib/measure";
import { aJob } from "@/test/fixtures";
import { againOf, attemptText, errorIn, type JobDraft, requestOf } from "./data";
import { parseQueueSearch } from "./search";

const DRAFT: JobDraft = {
  what: "commits",
  commits: "",
  after: "",
  until: "",
  where: "all",
  machines: [],
  labels: "",
  preset: "",
  base: "",
};
const SHA = "a".repeat(40);

it("shows the result of an attempt and its reason", () => {
  expect(attemptText({ outcome: "done", reason: null })).toBe("measured");
  expect(attemptText({ outcome: "failed", reason: "no compiler" })).toBe("failed: no compiler");
  expect(attemptText({ outcome: "lost", reason: "its lease ended" })).not.toContain("lease");
});

it("repeats a job on its machine or labels", () => {
  expect(againOf(aJob({ preset: "quick", branch: "main" }))).toEqual({
    commits: ["c".repeat(40)],
    branch: "main",
    preset: "quick",
    machines: ["lab-linux-1"],
  });
  expect(againOf(aJob({ machine: null, labels: ["lab"] }))).toMatchObject({ on_any: true, labels: ["lab"] });
});

it("does not repeat pull requests", () => {
  expect(againOf(aJob({ pull_request: 42 }))).toBeNull();
  expect(againOf(aJob({ is_fork: true }))).toBeNull();
});

it("ignores fields that are not selected", () => {
  const typed = { ...DRAFT, commits: `${SHA}\n bbbb, cccc`, after: SHA, machines: ["lab-1"], labels: "lab" };
  expect(requestOf(typed)).toEqual({ commits: [SHA, "bbbb", "cccc"], labels: ["lab"] });
  expect(requestOf({ ...typed, where: "chosen", preset: " quick " })).toEqual({
    commits: [SHA, "bbbb", "cccc"],
    machines: ["lab-1"],
    preset: "quick",
  });
  expect(requestOf({ ...typed, what: "range", until: "dddd", where: "any", base: "eeee" })).toEqual({
    after: SHA,
    until: "dddd",
    on_any: true,
    labels: ["lab"],
    base: "eeee",
  });
});

it("names the field with a missing value", () => {
  expect(errorIn(DRAFT)?.name).toBe("commits");
  const named = { ...DRAFT, commits: SHA };
  expect(errorIn(named)).toBeNull();
  expect(errorIn({ ...named, where: "chosen" })?.name).toBe("machines");
  const range: JobDraft = { ...DRAFT, what: "range", after: "a", until: "b" };
  expect(errorIn({ ...range, until: "" })?.name).toBe("until");
  expect(errorIn({ ...range, where: "any" })?.name).toBe("on_any");
  expect(errorIn(range)).toBeNull();
});

it("ignores invalid values in addresses", () => {
  expect(parseQueueSearch({ status: "failed", machine: "lab-1", after: "abc" })).toEqual({
    status: "failed",
    machine: "lab-1",
    after: "abc",
  });
  expect(parseQueueSearch({ status: "odd", machine: "Not a slug" })).toEqual({});
  expect(parseMeasureSearch({ commits: `${SHA}.short`, base: "short", machine: "lab-1" })).toEqual({
    commits: SHA,
    machine: "lab-1",
  });
});
