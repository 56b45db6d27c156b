import { expect, it } from "vitest";
import type { ProfileComparison, ProfileOfEnd } from "@/api/types";
import {
  boxOf,
  changeOf,
  type Flame,
  flameOf,
  frameAt,
  functionRows,
  isRemoved,
  LEVELS,
  largestChange,
  layoutOf,
  levelOf,
  matchOf,
  mostChanged,
  nameOf,
  neighbourOf,
  ROOT,
  type Time,
  type View,
  visitDrawn,
} from "./flame";

/** A frame: its caller's index, its function, and on-CPU and waiting times of base and head. */
type Row = [parent: number | null, name: string, base: [number, number], head: [number, number]];

function aProfile(rows: Row[], { base_messages = 10, head_messages = 10 } = {}): ProfileComparison {
  const functions = [...new Set(rows.map(([, name]) => name))];
  const end: ProfileOfEnd = {
    name: "responder",
    parents: rows.map(([parent]) => parent),
    functions: rows.map(([, name]) => functions.indexOf(name)),
    base_on_cpu_ns: rows.map(([, , [ns]]) => ns),
    base_waiting_ns: rows.map(([, , [, ns]]) => ns),
    head_on_cpu_ns: rows.map(([, , , [ns]]) => ns),
    head_waiting_ns: rows.map(([, , , [, ns]]) => ns),
  };
  return { base_messages, head_messages, functions, ends: [end] };
}

const ROWS: Row[] = [
  [null, "main", [100, 0], [100, 0]],
  [0, "encode", [300, 0], [600, 0]],
  [0, "wait", [0, 500], [0, 400]],
  [1, "copy", [0, 0], [200, 0]],
  [0, "old", [100, 0], [0, 0]],
  [2, "futex_[k]", [20, 80], [20, 80]],
];
const [MAIN, ENCODE, WAIT, COPY, OLD, FUTEX] = [1, 2, 3, 4, 5, 6] as const;

function flame(time: Time = "both", rows = ROWS, messages = {}): Flame {
  const profile = aProfile(rows, messages);
  const [end] = profile.ends;
  if (end === undefined) throw new Error("The profile has no end.");
  return flameOf(profile, end, time);
}

function screen(view: View, zoomed = ROOT, width_px = 1_000) {
  const shown = flame();
  return { flame: shown, layout: layoutOf(shown, view), zoomed, width_px };
}

function drawn(of: ReturnType<typeof screen>) {
  const frames: [name: string, left: number, width: number, row: number][] = [];
  const rows = visitDrawn(of, (frame, left, width, row) => {
    frames.push([nameOf(of.flame, frame), Math.round(left), Math.round(width), row]);
  });
  return { frames, rows };
}

it("divides times by the messages of their side and adds those of callees", () => {
  const { total, own } = flame("both", ROWS, { head_messages: 20 });
  expect([own.base[ENCODE], own.head[ENCODE]]).toEqual([30, 30]);
  expect([total.base[WAIT], total.head[WAIT]]).toEqual([60, 25]);
  expect([total.base[ROOT], total.head[ROOT]]).toEqual([110, 70]);
});

it("counts only the chosen time", () => {
  expect(flame("on-cpu").total.base[ROOT]).toBe(52);
  expect(flame("waiting").total.base[ROOT]).toBe(58);
  expect(flame("waiting").total.head[WAIT]).toBe(48);
});

it("has no times without messages", () => {
  const { total } = flame("both", ROWS, { base_messages: 0 });
  expect([total.base[ROOT], total.head[ROOT]]).toEqual([0, 140]);
});

it("lays callees out from the left edge of their caller, in each view", () => {
  expect(drawn(screen("base")).frames).toEqual([
    ["responder", 0, 1000, 0],
    ["main", 0, 1000, 1],
    ["encode", 0, 273, 2],
    ["wait", 273, 545, 2],
    ["old", 818, 91, 2],
    ["futex_[k]", 273, 91, 3],
  ]);
  const names = drawn(screen("head")).frames.map(([name]) => name);
  expect(names).toEqual(["responder", "main", "encode", "wait", "copy", "futex_[k]"]);
});

it("shows the time in head in the difference, and removed code with its time in base", () => {
  const { layout, flame: shown } = screen("difference");
  const widths = [...layout.widths].map((width) => Math.round(width));
  expect(widths[ENCODE]).toBe(80);
  expect(widths[OLD]).toBe(10);
  // 140 ns in head and 10 ns of removed code.
  expect(widths[ROOT]).toBe(150);
  expect([OLD, ENCODE, COPY].map((frame) => isRemoved(shown, frame))).toEqual([true, false, false]);
});

it("draws the zoomed frame in the whole width, below its callers", () => {
  expect(drawn(screen("base", WAIT))).toEqual({
    frames: [
      ["responder", 0, 1000, 0],
      ["main", 0, 1000, 1],
      ["wait", 0, 1000, 2],
      ["futex_[k]", 0, 167, 3],
    ],
    rows: 4,
  });
});

it("leaves out frames that are too narrow, and rows without frames", () => {
  expect(drawn(screen("base", ROOT, 5)).rows).toBe(3);
  expect(drawn(screen("base", ROOT, 20)).rows).toBe(4);
});

it("finds the frame at a position", () => {
  const of = screen("base");
  const found = (x: number, row: number) => {
    const frame = frameAt(of, x, row);
    return frame === null ? null : nameOf(of.flame, frame);
  };
  expect([found(0, 0), found(999, 1), found(272, 2), found(274, 2), found(820, 2)]).toEqual([
    "responder",
    "main",
    "encode",
    "wait",
    "old",
  ]);
  // The own time of `main`, below the last row, and outside.
  expect([found(950, 2), found(500, 7), found(-1, 0), found(1000, 0)]).toEqual([null, null, null, null]);
  expect([frameAt(screen("base", WAIT), 900, 1), frameAt(screen("base", WAIT), 900, 2)]).toEqual([
    MAIN,
    WAIT,
  ]);
});

it("finds every drawn frame of a wide profile by its position, in any order of the frames", () => {
  const rows: Row[] = [[null, "main", [0, 0], [0, 0]]];
  // The callees of the second caller come before those of the first.
  for (let caller = 0; caller < 40; caller++) rows.push([0, `caller ${caller}`, [caller % 3, 0], [1, 0]]);
  for (let leaf = 0; leaf < 2_000; leaf++)
    rows.push([40 - (leaf % 40), `leaf ${leaf}`, [leaf % 7, 0], [1, 0]]);
  const shown = flame("both", rows);
  for (const view of ["base", "difference"] as const) {
    const of = { flame: shown, layout: layoutOf(shown, view), zoomed: ROOT, width_px: 20_000 };
    visitDrawn(of, (frame, left, width, row) => expect(frameAt(of, left + width / 2, row)).toBe(frame));
  }
});

it("places frames within the zoomed one, and its callers over the whole width", () => {
  expect(boxOf(screen("base"), OLD)).toEqual({
    left: expect.closeTo(818.2, 1),
    width: expect.closeTo(90.9, 1),
    row: 2,
  });
  expect(boxOf(screen("base", WAIT), MAIN)).toEqual({ left: 0, width: 1000, row: 1 });
  expect(boxOf(screen("base", WAIT), OLD)).toBeNull();
});

it("moves to the caller, the widest callee and its neighbours", () => {
  const { flame: shown, layout } = screen("head");
  const move = (frame: number, key: string) => neighbourOf(shown, layout, frame, key);
  expect([move(MAIN, "ArrowUp"), move(ROOT, "ArrowUp")]).toEqual([ROOT, ROOT]);
  expect([move(MAIN, "ArrowDown"), move(COPY, "ArrowDown")]).toEqual([ENCODE, COPY]);
  expect([move(ENCODE, "ArrowRight"), move(WAIT, "ArrowLeft")]).toEqual([WAIT, ENCODE]);
  // Base alone ran `old`, and no other function calls `futex`.
  expect([move(WAIT, "ArrowRight"), move(FUTEX, "ArrowLeft")]).toEqual([WAIT, FUTEX]);
});

it("has the same number of colours for slower and faster, with half of them for small changes", () => {
  expect([-40, -10, 0, 10, 40].map((change) => levelOf(change, 40))).toEqual([
    -LEVELS,
    -LEVELS / 2,
    0,
    LEVELS / 2,
    LEVELS,
  ]);
  expect(levelOf(0, 0)).toBe(0);
  expect(largestChange(flame())).toBe(50);
  expect(changeOf(flame(), WAIT)).toBe(-10);
});

it("finds functions by a part of their name, and counts callees of a match once", () => {
  const found = matchOf(flame(), " CO");
  expect(found?.functionCount).toBe(2);
  expect([...(found?.frames ?? [])].flatMap((is, frame) => (is === 1 ? [frame] : []))).toEqual([
    ENCODE,
    COPY,
  ]);
  expect(found?.share.base).toBeCloseTo(30 / 110);
  expect(found?.share.head).toBeCloseTo(80 / 140);
  expect(matchOf(flame(), "nowhere")).toMatchObject({ functionCount: 0, share: { base: 0, head: 0 } });
  expect(matchOf(flame(), " ")).toBeNull();
});

it("sums functions over their stacks, recursive calls once, the largest change first", () => {
  const shown = flame("both", [
    [null, "walk", [100, 0], [100, 0]],
    [0, "walk", [100, 0], [100, 0]],
    [1, "leaf", [50, 0], [300, 0]],
    [0, "leaf", [50, 0], [50, 0]],
    [0, "idle", [0, 0], [0, 0]],
  ]);
  const [leaf, walk, ...rest] = functionRows(shown);
  expect(leaf).toEqual({
    name: "leaf",
    own: { base: 10, head: 35 },
    total: { base: 10, head: 35 },
    ownChange: 25,
    totalChange: 25,
  });
  expect(walk).toMatchObject({ name: "walk", own: { base: 20, head: 20 }, total: { base: 30, head: 55 } });
  expect(rest).toEqual([]);
  expect(functionRows(shown, matchOf(shown, "walk")).map(({ name }) => name)).toEqual(["walk"]);
});

it("names the end whose CPU time changed the most", () => {
  const profile = aProfile(ROWS);
  const [responder] = profile.ends;
  if (responder === undefined) throw new Error("The profile has no end.");
  const waiting = { ...responder, name: "initiator", head_on_cpu_ns: responder.base_on_cpu_ns };
  expect(mostChanged({ ...profile, ends: [waiting, responder] })?.name).toBe("responder");
  expect(mostChanged({ ...profile, ends: [] })).toBeUndefined();
});
