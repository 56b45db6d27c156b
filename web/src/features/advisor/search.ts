/** Query parameters of the advisor, and the request for them. */
import type { AdviceAsked } from "@/api/queries";
import type { SizeProfile } from "@/api/types";
import { oneOf, present, searchOf, slug, whole } from "@/lib/search";
import { type Bucket, countOf, readSizes, scaled, sizesText, TEXT_LENGTH_MAX } from "./sizes";

export const FIGURES = ["p50", "p98", "p99", "mean"] as const;
export type Figure = (typeof FIGURES)[number];

/** The ranked scenario. */
export const SCENARIO = "roundtrip";

/** The limit for messages per second. */
export const RATE_MAX = 1_000_000_000;

/** The limits for scaling sizes. */
const TIMES_MIN = 1 / 64;
const TIMES_MAX = 1024;

/** A change of the state; `undefined` restores a default. */
export type AdvisorChange = { [Key in keyof AdvisorSearch]: AdvisorSearch[Key] | undefined };

/** The state of the page; missing values take defaults. */
export const parseAdvisorSearch = searchOf({
  /** A profile of the server; without profile and sizes, the first. */
  profile: slug,
  sizes: understood,
  /** Changed buckets: first byte and new count, `12:500,64:0`. */
  dragged: draggedOf,
  times: timesOf,
  machine: slug,
  placement: slug,
  mode: slug,
  by: oneOf(FIGURES),
  /** Messages per second, for the CPU share. */
  rate: rateOf,
});
export type AdvisorSearch = ReturnType<typeof parseAdvisorSearch>;

/** The initial sizes: custom, the selected profile, or the first profile. */
export type Start = { profile: SizeProfile | null; buckets: Bucket[] };

export function startOf({ profile: asked, sizes }: AdvisorSearch, profiles: SizeProfile[]): Start {
  const own = sizes === undefined ? null : readSizes(sizes);
  if (own !== null && "buckets" in own) return { profile: null, buckets: own.buckets };
  const profile = profiles.find(({ slug }) => slug === asked) ?? profiles[0];
  return profile === undefined ? { profile: null, buckets: [] } : { profile, buckets: profile.buckets };
}

/** The buckets with changed counts; empty buckets stay. */
export function withDragged(buckets: readonly Bucket[], dragged: string | undefined): Bucket[] {
  if (dragged === undefined) return [...buckets];
  const counts = new Map(dragged.split(",").map((part) => part.split(":").map(Number) as [number, number]));
  return buckets.map((bucket) => ({ ...bucket, count: counts.get(bucket.from_bytes) ?? bucket.count }));
}

/** The changed buckets, for the address; `undefined` without changes. */
export function draggedText(start: readonly Bucket[], now: readonly Bucket[]): string | undefined {
  const changed = now.filter(({ count }, index) => count !== start[index]?.count);
  return changed.length === 0
    ? undefined
    : changed.map(({ from_bytes, count }) => `${from_bytes}:${count}`).join(",");
}

/** The request; `null` without messages. */
export function adviceAsked(
  { dragged, times, machine, by = "p50", rate }: AdvisorSearch,
  { profile, buckets }: Start,
  { placement, mode }: { placement?: string | undefined; mode?: string | undefined },
): AdviceAsked | null {
  const now = withDragged(buckets, dragged);
  if (countOf(now) === 0) return null;
  const isProfile = profile !== null && dragged === undefined && times === undefined;
  return {
    ...(isProfile
      ? { profile: profile.slug }
      : { sizes: sizesText(times === undefined ? now : scaled(now, times)) }),
    ...present({ machine, placement, mode, rate_per_second: rate }),
    by,
  };
}

function understood(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > TEXT_LENGTH_MAX) return undefined;
  const read = readSizes(value);
  return "buckets" in read ? sizesText(read.buckets) : undefined;
}

function draggedOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > TEXT_LENGTH_MAX) return undefined;
  return /^\d{1,13}:\d{1,15}(,\d{1,13}:\d{1,15})*$/.test(value) ? value : undefined;
}

function rateOf(value: unknown): number | undefined {
  const rate = whole(value) ?? 0;
  return rate > 0 && rate <= RATE_MAX ? rate : undefined;
}

function timesOf(value: unknown): number | undefined {
  if (typeof value !== "number" || value === 1) return undefined;
  return value >= TIMES_MIN && value <= TIMES_MAX ? value : undefined;
}
