/** Parses, formats and scales counted message sizes. Pure. */
import type { SizeProfile } from "@/api/types";
import { ascending, groupBy } from "@/lib/collections";
import { formatCount } from "@/lib/units";

export type Bucket = SizeProfile["buckets"][number];

/** The parsed buckets, or the error. */
export type SizesRead = { buckets: Bucket[] } | { error: string };

/** The limits of the server: `crates/wire/src/size_profile/histogram.rs`. */
const BUCKETS_MAX = 1_000;
const BYTES_MAX = 2 ** 40;
const COUNT_MAX = 2 ** 50;

/** Many proxies cut or reject longer addresses. */
export const TEXT_LENGTH_MAX = 6_000;

export const FILE_BYTES_MAX = 32 * 1024 * 1024;

/** With more distinct sizes than this, sizes are grouped into buckets. */
const SINGLE_SIZES_MAX = 64;
/** Buckets per doubling for grouped sizes. */
const BUCKETS_PER_DOUBLING = 4;

/** The length of quotes in errors. */
const QUOTED_LENGTH = 40;

/**
 * Reads sizes in any of three forms: `12-15:4387,64:3`; a table of `bucket_min_bytes,count`, whose buckets end where the next
 * begins; and single sizes, one per line.
 */
export function readSizes(text: string): SizesRead {
  const lines = text
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== "");
  const [first] = lines;
  if (first === undefined) {
    return failed(
      "No sizes. Expected 12-15:4387,64:3, rows of bucket_min_bytes,count, or one size in bytes per line",
    );
  }
  try {
    return { buckets: checked(rowsOf(lines, first)) };
  } catch (error) {
    if (error instanceof SizesError) return failed(error.message);
    throw error;
  }
}

/** Sizes in the format of the server: `12-15:4387,64:3`. Empty buckets are left out. */
export function sizesText(buckets: readonly Bucket[]): string {
  return buckets
    .filter(({ count }) => count > 0)
    .map(({ from_bytes, to_bytes, count }) =>
      to_bytes > from_bytes ? `${from_bytes}-${to_bytes}:${count}` : `${from_bytes}:${count}`,
    )
    .join(",");
}

export function countOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Multiplies all sizes, with a minimum of one byte, and merges buckets that overlap. The same rule as on the server:
 * `crates/advisor/src/scale.rs`.
 */
export function scaled(buckets: readonly Bucket[], times: number): Bucket[] {
  const bytes = (size: number) => Math.max(1, Math.round(size));
  const done: Bucket[] = [];
  for (const { from_bytes, to_bytes, count } of buckets) {
    const from = bytes(from_bytes * times);
    const to = Math.max(from, bytes((to_bytes + 1) * times - 1));
    const last = done.at(-1);
    if (last !== undefined && from <= last.to_bytes) {
      last.to_bytes = Math.max(last.to_bytes, to);
      last.count += count;
    } else done.push({ from_bytes: from, to_bytes: to, count });
  }
  return done;
}

type Line = { line: string; number: number };

class SizesError extends Error {}

function failed(error: string): SizesRead {
  return { error: `${error}.` };
}

function rowsOf(lines: Line[], first: Line): Bucket[] {
  if (lines.some(({ line }) => line.includes(":"))) return lines.flatMap(bucketsOf);
  if (first.line.includes(",")) return tableOf(/^\d/.test(first.line) ? lines : lines.slice(1));
  // A copied column of sizes may have a header.
  return grouped((/^\D+$/.test(first.line) ? lines.slice(1) : lines).map(sizeOf));
}

function bucketsOf({ line, number }: Line): Bucket[] {
  return line
    .split(/,\s*/)
    .filter((part) => part !== "")
    .map((part) => {
      const match = /^(\d+)(?:\s*-\s*(\d+))?\s*:\s*(\d+)$/.exec(part);
      if (match === null) {
        throw new SizesError(
          `Line ${number}: ${quoted(part)} is not a bucket. Expected sizes and a count, such as 12-15:4387 or 64:3`,
        );
      }
      const [, from, to, count] = match;
      return { from_bytes: Number(from), to_bytes: Number(to ?? from), count: Number(count) };
    });
}

function tableOf(lines: Line[]): Bucket[] {
  const rows = lines.map(({ line, number }) => {
    const match = /^(\d+)\s*,\s*(\d+)$/.exec(line);
    if (match === null) {
      throw new SizesError(`Line ${number}: ${quoted(line)} is not a row. Expected bucket_min_bytes,count`);
    }
    return { from: Number(match[1]), count: Number(match[2]), number };
  });
  return rows.flatMap(({ from, count, number }, index) => {
    const next = rows[index + 1];
    if (next === undefined && count === 0) return [];
    if (next === undefined) {
      throw new SizesError(
        `Line ${number}: the last bucket has no end. Add a row with its end and count 0, such as ${from * 2 || 1},0`,
      );
    }
    if (next.from <= from) {
      throw new SizesError(
        `Line ${next.number}: bucket_min_bytes is ${next.from}. Expected more than ${from}`,
      );
    }
    return [{ from_bytes: from, to_bytes: next.from - 1, count }];
  });
}

function sizeOf({ line, number }: Line): number {
  if (!/^\d+$/.test(line)) {
    throw new SizesError(`Line ${number}: ${quoted(line)} is not a size. Expected whole bytes, such as 64`);
  }
  return Number(line);
}

function grouped(sizes: number[]): Bucket[] {
  const single = new Set(sizes).size <= SINGLE_SIZES_MAX;
  const place = (bytes: number) =>
    single || bytes === 0 ? bytes : Math.floor(Math.log2(bytes) * BUCKETS_PER_DOUBLING) + 0.5;
  return [...groupBy(sizes, place).values()]
    .map((group) => {
      const [from_bytes, to_bytes] = group.reduce(
        ([least, most], bytes) => [Math.min(least, bytes), Math.max(most, bytes)],
        [Number.POSITIVE_INFINITY, 0],
      );
      return { from_bytes, to_bytes, count: group.length };
    })
    .sort((a, b) => ascending(a.from_bytes, b.from_bytes));
}

/** The checks of the server. */
function checked(buckets: Bucket[]): Bucket[] {
  let before: Bucket | undefined;
  for (const bucket of buckets) {
    const { from_bytes, to_bytes, count } = bucket;
    if (to_bytes < from_bytes) {
      throw new SizesError(`Bucket ${from_bytes}-${to_bytes} ends before it begins`);
    }
    if (before !== undefined && from_bytes <= before.to_bytes) {
      throw new SizesError(
        `Bucket ${from_bytes}-${to_bytes} is not above the previous one, which ends at ${before.to_bytes}`,
      );
    }
    if (to_bytes > BYTES_MAX)
      throw new SizesError(`Message size ${to_bytes} is too large. Expected at most 1 TiB`);
    if (count > COUNT_MAX) throw new SizesError(`Bucket count ${count} is too large. Expected at most 2^50`);
    before = bucket;
  }
  const some = buckets.filter(({ count }) => count > 0);
  if (some.length === 0) throw new SizesError("All buckets are empty. Expected at least one message");
  if (some.length > BUCKETS_MAX) {
    throw new SizesError(
      `${formatCount(some.length)} buckets are too many. Expected at most ${formatCount(BUCKETS_MAX)}`,
    );
  }
  const { length } = sizesText(some);
  if (length > TEXT_LENGTH_MAX) {
    throw new SizesError(
      `The buckets take ${formatCount(length)} characters in the address. Expected at most ${formatCount(TEXT_LENGTH_MAX)}`,
    );
  }
  return some;
}

function quoted(text: string): string {
  return `“${text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text}”`;
}
