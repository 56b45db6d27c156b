/**
 * Flame graphs of two profiles: times per message, layout, search and a table by function. Pure, on typed arrays, for tens
 * of thousands of frames.
 */
import type { ProfileComparison, ProfileOfEnd } from "@/api/types";

export type View = "difference" | "head" | "base";

/** The time that counts: on a CPU, waiting, or both. */
export type Time = "both" | "on-cpu" | "waiting";

export type Side = "base" | "head";

/** The frame of the whole end. It calls the outermost functions. */
export const ROOT = 0;

/** Frames narrower than this are not drawn. */
export const DRAWN_MIN_PX = 0.5;

/** The frames of one end in columns: the end itself, then its call stacks. Times are nanoseconds per message. */
export type Flame = {
  count: number;
  /** The caller's index; -1 for the end. */
  parents: Int32Array;
  depths: Uint16Array;
  /** An index into `names`; -1 for the end. */
  functions: Int32Array;
  names: readonly string[];
  end: string;
  /** Without callees. */
  own: Record<Side, Float64Array>;
  /** With callees. */
  total: Record<Side, Float64Array>;
};

type Column = Float64Array | Int32Array | Uint16Array | Uint8Array;

const at = (column: Column, index: number): number => column[index] ?? 0;

export function flameOf(profile: ProfileComparison, end: ProfileOfEnd, time: Time): Flame {
  const count = end.parents.length + 1;
  const parents = new Int32Array(count).fill(-1);
  const depths = new Uint16Array(count);
  const functions = new Int32Array(count).fill(-1);
  for (let frame = 1; frame < count; frame++) {
    const parent = (end.parents[frame - 1] ?? -1) + 1;
    parents[frame] = parent;
    depths[frame] = at(depths, parent) + 1;
    functions[frame] = end.functions[frame - 1] ?? -1;
  }
  const own = {
    base: perMessage(timesOf(end.base_on_cpu_ns, end.base_waiting_ns, time), profile.base_messages),
    head: perMessage(timesOf(end.head_on_cpu_ns, end.head_waiting_ns, time), profile.head_messages),
  };
  const total = { base: withCallees(own.base, parents), head: withCallees(own.head, parents) };
  return { count, parents, depths, functions, names: profile.functions, end: end.name, own, total };
}

function timesOf(on_cpu_ns: number[], waiting_ns: number[], time: Time): number[][] {
  if (time === "both") return [on_cpu_ns, waiting_ns];
  return [time === "on-cpu" ? on_cpu_ns : waiting_ns];
}

function perMessage(columns: number[][], messages: number): Float64Array {
  const times = new Float64Array((columns[0]?.length ?? 0) + 1);
  if (messages === 0) return times;
  for (const column of columns) {
    for (let index = 0; index < column.length; index++) {
      times[index + 1] = at(times, index + 1) + (column[index] ?? 0) / messages;
    }
  }
  return times;
}

/** Adds the times of callees. They come after their callers, so one pass from the end is enough. */
function withCallees(own: Float64Array, parents: Int32Array): Float64Array {
  const total = own.slice();
  for (let frame = total.length - 1; frame > ROOT; frame--) {
    const parent = at(parents, frame);
    total[parent] = at(total, parent) + at(total, frame);
  }
  return total;
}

/** The end whose CPU time per message changed the most. */
export function mostChanged(profile: ProfileComparison): ProfileOfEnd | undefined {
  const sum = (times: number[]) => times.reduce((total, ns) => total + ns, 0);
  const changeOf = ({ base_on_cpu_ns, head_on_cpu_ns }: ProfileOfEnd) =>
    Math.abs(
      sum(head_on_cpu_ns) / Math.max(profile.head_messages, 1) -
        sum(base_on_cpu_ns) / Math.max(profile.base_messages, 1),
    );
  return profile.ends.toSorted((one, other) => changeOf(other) - changeOf(one))[0];
}

export function nameOf({ functions, names, end }: Flame, frame: number): string {
  return frame === ROOT ? end : (names[at(functions, frame)] ?? "");
}

export const isKernel = (name: string): boolean => name.endsWith("_[k]");

/** The change of a frame's time with callees. */
export const changeOf = ({ total }: Flame, frame: number): number =>
  at(total.head, frame) - at(total.base, frame);

/** Whether only base ran the frame. */
export const isRemoved = ({ total }: Flame, frame: number): boolean =>
  at(total.head, frame) === 0 && at(total.base, frame) > 0;

/** The largest change of a frame, slower or faster. */
export function largestChange(flame: Flame): number {
  let largest = 0;
  for (let frame = ROOT; frame < flame.count; frame++) {
    largest = Math.max(largest, Math.abs(changeOf(flame, frame)));
  }
  return largest;
}

/** Steps of colour between unchanged and the largest change. */
export const LEVELS = 8;

/** The colour of a change: from -`LEVELS`, fastest, to `LEVELS`. Half of the steps are for the smallest quarter. */
export function levelOf(change: number, largest: number): number {
  if (largest === 0) return 0;
  return Math.sign(change) * Math.round(Math.sqrt(Math.abs(change) / largest) * LEVELS) || 0;
}

/** The position of every frame in the time of a view. */
export type Layout = {
  view: View;
  starts: Float64Array;
  widths: Float64Array;
  /** The frames of each depth, from left to right. */
  rows: readonly Int32Array[];
};

/** Callees are in the order of the profile, from the left edge of their caller; its own time is right of them. */
export function layoutOf(flame: Flame, view: View): Layout {
  const { count, parents, depths } = flame;
  const widths = widthsOf(flame, view);
  const starts = new Float64Array(count);
  const next = new Float64Array(count);
  const lengths: number[] = [];
  // Rows leave out frames without time, which could hide others at the same position.
  const isShown = (frame: number) => frame === ROOT || at(widths, frame) > 0;
  for (let frame = ROOT; frame < count; frame++) {
    const depth = at(depths, frame);
    if (isShown(frame)) lengths[depth] = (lengths[depth] ?? 0) + 1;
    if (frame === ROOT) continue;
    const parent = at(parents, frame);
    const start = at(next, parent);
    starts[frame] = start;
    next[frame] = start;
    next[parent] = start + at(widths, frame);
  }
  const rows = lengths.map((length) => new Int32Array(length));
  const filled = new Int32Array(rows.length);
  for (let frame = ROOT; frame < count; frame++) {
    const depth = at(depths, frame);
    const row = rows[depth];
    if (row === undefined || !isShown(frame)) continue;
    const place = at(filled, depth);
    row[place] = frame;
    filled[depth] = place + 1;
  }
  for (const row of rows) sortByStart(row, starts);
  return { view, starts, widths, rows };
}

/** In the difference, the time in head; of code that only base ran, the time in base. */
function widthsOf({ count, own, total, parents }: Flame, view: View): Float64Array {
  if (view !== "difference") return total[view];
  const shown = new Float64Array(count);
  for (let frame = ROOT; frame < count; frame++) {
    shown[frame] = at(total.head, frame) > 0 ? at(own.head, frame) : at(own.base, frame);
  }
  return withCallees(shown, parents);
}

/** Most profiles are in order already. */
function sortByStart(row: Int32Array, starts: Float64Array): void {
  for (let place = 1; place < row.length; place++) {
    if (at(starts, at(row, place)) < at(starts, at(row, place - 1))) {
      row.sort((one, other) => at(starts, one) - at(starts, other) || one - other);
      return;
    }
  }
}

/** The frame itself or its nearest caller that has a width in the view. */
export function shownOf({ widths }: Layout, { parents }: Flame, frame: number): number {
  let shown = frame;
  while (shown > ROOT && at(widths, shown) === 0) shown = at(parents, shown);
  return shown;
}

/** A frame on the screen. */
export type Box = { left: number; width: number; row: number };

/** What is on the screen: a layout, its zoomed frame and the width. */
export type Screen = { flame: Flame; layout: Layout; zoomed: number; width_px: number };

/** The position of a frame; its callers have the whole width. `null` if it is outside the zoomed frame. */
export function boxOf({ flame, layout, zoomed, width_px }: Screen, frame: number): Box | null {
  const row = at(flame.depths, frame);
  if (isWithin(flame, zoomed, frame)) return { left: 0, width: width_px, row };
  if (!isWithin(flame, frame, zoomed)) return null;
  const scale = width_px / at(layout.widths, zoomed);
  return {
    left: (at(layout.starts, frame) - at(layout.starts, zoomed)) * scale,
    width: at(layout.widths, frame) * scale,
    row,
  };
}

/** Whether a frame is another or called from it. */
function isWithin({ parents, depths }: Flame, frame: number, caller: number): boolean {
  let current = frame;
  while (at(depths, current) > at(depths, caller)) current = at(parents, current);
  return current === caller;
}

/** Calls `visit` with each frame that is wide enough to draw; returns the number of rows. */
export function visitDrawn(
  screen: Screen,
  visit: (frame: number, left: number, width: number, row: number) => void,
): number {
  const { flame, layout, zoomed, width_px } = screen;
  const { starts, widths, rows } = layout;
  const depth = at(flame.depths, zoomed);
  const callers: number[] = [];
  for (let frame = zoomed; frame >= ROOT; frame = at(flame.parents, frame)) callers.push(frame);
  for (const [row, frame] of callers.reverse().entries()) visit(frame, 0, width_px, row);
  const whole = at(widths, zoomed);
  if (whole === 0) return depth + 1;
  const from = at(starts, zoomed);
  const scale = width_px / whole;
  const least = DRAWN_MIN_PX / scale;
  let row = depth + 1;
  for (; row < rows.length; row++) {
    const frames = rows[row] ?? new Int32Array();
    let isDrawn = false;
    for (let place = lastUpTo(frames, starts, from, false) + 1; place < frames.length; place++) {
      const frame = at(frames, place);
      const start = at(starts, frame);
      if (start >= from + whole) break;
      if (at(widths, frame) < least) continue;
      isDrawn = true;
      visit(frame, (start - from) * scale, at(widths, frame) * scale, row);
    }
    if (!isDrawn) break;
  }
  return row;
}

/** The drawn frame at a position; `null` for none. */
export function frameAt(screen: Screen, x: number, row: number): number | null {
  const { flame, layout, zoomed, width_px } = screen;
  const depth = at(flame.depths, zoomed);
  if (row < 0 || x < 0 || x >= width_px) return null;
  if (row <= depth) {
    let caller = zoomed;
    while (at(flame.depths, caller) > row) caller = at(flame.parents, caller);
    return caller;
  }
  const { starts, widths, rows } = layout;
  const frames = rows[row];
  const whole = at(widths, zoomed);
  if (frames === undefined || whole === 0) return null;
  const time = at(starts, zoomed) + (x / width_px) * whole;
  const place = lastUpTo(frames, starts, time, true);
  const frame = frames[place];
  if (frame === undefined || time >= at(starts, frame) + at(widths, frame)) return null;
  return at(widths, frame) * (width_px / whole) < DRAWN_MIN_PX ? null : frame;
}

/** The last place whose frame starts before a time, or at it; -1 for none. */
function lastUpTo(frames: Int32Array, starts: Float64Array, time: number, isInclusive: boolean): number {
  let [low, high] = [0, frames.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = at(starts, at(frames, middle));
    if (start < time || (isInclusive && start === time)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The frame that an arrow key moves to: the caller, the widest callee, or a neighbour with the same caller. */
export function neighbourOf(flame: Flame, { widths, rows }: Layout, frame: number, key: string): number {
  const parent = at(flame.parents, frame);
  if (key === "ArrowUp") return Math.max(parent, ROOT);
  const isDown = key === "ArrowDown";
  const caller = isDown ? frame : parent;
  const row = rows[at(flame.depths, frame) + (isDown ? 1 : 0)] ?? new Int32Array();
  const siblings = row.filter((other) => at(flame.parents, other) === caller);
  if (isDown) {
    return siblings.reduce(
      (best, other) => (at(widths, other) > at(widths, best) ? other : best),
      siblings[0] ?? frame,
    );
  }
  const step = key === "ArrowLeft" ? -1 : 1;
  return siblings[siblings.indexOf(frame) + step] ?? frame;
}

/** The frames whose function name contains a text. */
export type Match = {
  frames: Uint8Array;
  functionCount: number;
  /** The share of the end's time that they and their callees take. */
  share: Record<Side, number>;
};

/** Ignores case; `null` without a text. */
export function matchOf(flame: Flame, query: string | undefined): Match | null {
  const wanted = query?.trim().toLowerCase() ?? "";
  if (wanted === "") return null;
  const { count, parents, functions, names, total } = flame;
  const isNamed = names.map((name) => name.toLowerCase().includes(wanted));
  const frames = new Uint8Array(count);
  const covered = new Uint8Array(count);
  const found = new Set<number>();
  const sum = { base: 0, head: 0 };
  for (let frame = ROOT + 1; frame < count; frame++) {
    const isCovered = at(covered, at(parents, frame)) === 1;
    const named = at(functions, frame);
    if (isCovered) covered[frame] = 1;
    if (isNamed[named] !== true) continue;
    frames[frame] = 1;
    found.add(named);
    if (isCovered) continue;
    // Callees of a match are part of its time.
    covered[frame] = 1;
    sum.base += at(total.base, frame);
    sum.head += at(total.head, frame);
  }
  const share = (side: Side) => (at(total[side], ROOT) === 0 ? 0 : sum[side] / at(total[side], ROOT));
  return { frames, functionCount: found.size, share: { base: share("base"), head: share("head") } };
}

/** A function over all call stacks. */
export type FunctionRow = {
  name: string;
  own: Record<Side, number>;
  total: Record<Side, number>;
  ownChange: number;
  totalChange: number;
};

/** The functions, optionally only those of a search; the largest change of the own time first. */
export function functionRows(flame: Flame, match: Match | null = null): FunctionRow[] {
  const { count, functions, names, own, total } = flame;
  const rows = new Map<number, FunctionRow>();
  for (let frame = ROOT + 1; frame < count; frame++) {
    if (match !== null && at(match.frames, frame) === 0) continue;
    if (at(total.base, frame) === 0 && at(total.head, frame) === 0) continue;
    const named = at(functions, frame);
    const row = rows.get(named) ?? emptyRow(names[named] ?? "");
    rows.set(named, row);
    const isOutermost = !isRecursive(flame, frame);
    for (const side of ["base", "head"] as const) {
      row.own[side] += at(own[side], frame);
      // Recursive calls are part of the outermost.
      if (isOutermost) row.total[side] += at(total[side], frame);
    }
  }
  for (const row of rows.values()) {
    row.ownChange = row.own.head - row.own.base;
    row.totalChange = row.total.head - row.total.base;
  }
  const size = ({ ownChange }: FunctionRow) => Math.abs(ownChange);
  return [...rows.values()].sort(
    (one, other) => size(other) - size(one) || Math.abs(other.totalChange) - Math.abs(one.totalChange),
  );
}

function emptyRow(name: string): FunctionRow {
  return { name, own: { base: 0, head: 0 }, total: { base: 0, head: 0 }, ownChange: 0, totalChange: 0 };
}

/** Whether the function of a frame is also one of its callers. */
function isRecursive({ parents, functions }: Flame, frame: number): boolean {
  const named = at(functions, frame);
  for (let caller = at(parents, frame); caller > ROOT; caller = at(parents, caller)) {
    if (at(functions, caller) === named) return true;
  }
  return false;
}
