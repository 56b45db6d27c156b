import { expect, it } from "vitest";
import { rankingsOf } from "./rankings";

const line = (key: string, values: Record<number, number>, apart: "lossy" | null = null) => ({
  key,
  label: key,
  current: true,
  points: Object.entries(values).map(([size, value]) => ({ message_bytes: Number(size), value, apart })),
});

const LINES = [line("pipe", { 64: 100, 1024: 400 }), line("ring", { 64: 102, 1024: 200 })];
const keysOf = (isRate: boolean, lines = LINES) =>
  rankingsOf(lines, isRate).rankings.map(({ message_bytes, rows }) => [
    message_bytes,
    rows.map(({ key, isTied }) => (isTied ? `${key} tied` : key)),
  ]);

it("ranks lines at each size, and marks those tied with the best", () => {
  expect(keysOf(false)).toEqual([
    [64, ["pipe tied", "ring tied"]],
    [1024, ["ring tied", "pipe"]],
  ]);
  expect(rankingsOf(LINES, false).domain).toEqual([100, 400]);
});

it("ranks the highest throughput first, without lossy points", () => {
  expect(keysOf(true, [...LINES, line("udp", { 64: 1 }, "lossy")])).toEqual([
    [64, ["ring tied", "pipe tied"]],
    [1024, ["pipe tied", "ring"]],
  ]);
});
