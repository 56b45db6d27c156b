import { expect, it } from "vitest";
import { aCommit, aSeries } from "@/test/fixtures";
import { hasCommitWords, hasWords, wordsOf } from "./words";

it("splits a search as the server does", () => {
  expect(wordsOf("  Ring-Futex (JSON), BM_Pipe/64 --- \t'x'")).toEqual([
    "ring-futex",
    "json",
    "bm_pipe/64",
    "x",
  ]);
  for (const text of ["64kib", "64KiB", "64 KiB", "64kb", "64K", "64 k"]) {
    expect(wordsOf(text)).toEqual(["64kib"]);
  }
  expect(wordsOf("64 B pipe 1 MiB")).toEqual(["64", "pipe", "1mib"]);
  expect(wordsOf("64 2proc")).toEqual(["64", "2proc"]);
  expect(wordsOf("64 128")).toEqual(["64", "128"]);
  expect(wordsOf(" -- ")).toEqual([]);
  expect(wordsOf("a".repeat(100))).toEqual(["a".repeat(64)]);
});

it("rejects long searches", () => {
  expect(() => wordsOf("a".repeat(201))).toThrow("parameter q: expected at most 200 characters");
  expect(() => wordsOf("a ".repeat(17))).toThrow("parameter q: expected at most 16 words");
});

const series = aSeries({
  machine: "lab-arm-1",
  transport: "ring-futex",
  case: { scenario: "roundtrip", mode: "2proc", placement: "same-cpu", message_bytes: 65_536, peers: 3 },
});
const found = (text: string) => hasWords(series, wordsOf(text));

it("matches words as prefixes from the beginning of any part", () => {
  for (const text of ["ring", "ring-f", "futex", "arm", "arm-1", "cpu", "2pr", "SAME"])
    expect(found(text)).toBe(true);
  for (const text of ["utex", "ring futon", "socket"]) expect(found(text)).toBe(false);
});

it("matches numbers exactly, and sizes in all spellings", () => {
  for (const text of ["65536", "64 KiB", "64k", "1"]) expect(found(text)).toBe(true);
  for (const text of ["6553", "64", "3", "2"]) expect(found(text)).toBe(false);
});

it("matches the title and the family of a transport", () => {
  const transport = { ...series.transport, title: "Google Benchmark (JSON)", family: "import" };
  const of = (text: string) => hasWords({ ...series, transport }, wordsOf(text));
  expect(["json", "bench", "imp"].every(of)).toBe(true);
  expect(of("mark")).toBe(false);
});

it("finds commits by words of their message, or the beginning of their SHA", () => {
  const commit = aCommit({ sha: `3fa9${"0".repeat(36)}`, subject: "pool: Reuse send-buffers (again)" });
  const of = (text: string) => hasCommitWords(commit, wordsOf(text));
  for (const text of ["reuse buf", "pool", "send-buf", "3fa9"]) expect(of(text)).toBe(true);
  for (const text of ["euse", "reuse pipes", "3fa9 reuse", "fa9"]) expect(of(text)).toBe(false);
});
