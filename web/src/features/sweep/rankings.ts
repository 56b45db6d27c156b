/** The values of a sweep by size. Pure. */
import { lineStyle } from "@/components/chart/lines";
import type { Ranked } from "@/components/chart/RankedDots";
import type { SweepLine } from "@/components/chart/SweepChart";
import { ascending, distinct } from "@/lib/collections";
import { EQUAL_WITHIN } from "@/lib/fastest";

type Rankings = {
  /** The range of all values. */
  domain: [low: number, high: number];
  rankings: { message_bytes: number; rows: Ranked[] }[];
};

/** The lines at each size, the best first. Points that are not comparable are left out. */
export function rankingsOf(lines: SweepLine[], isRate: boolean): Rankings {
  const points = lines.flatMap(({ key, label, style = lineStyle(0), points: own }) =>
    own
      .filter(({ apart }) => apart == null)
      .map(({ message_bytes, value }) => ({ message_bytes, key, label, style, value })),
  );
  const cost = ({ value }: { value: number }) => (isRate ? 1 / value : value);
  const sizes = distinct(points.map(({ message_bytes }) => message_bytes)).sort(ascending);
  const rankings = sizes.map((message_bytes) => {
    const here = points
      .filter((point) => point.message_bytes === message_bytes)
      .sort((one, other) => ascending(cost(one), cost(other)));
    const least = here[0] === undefined ? 0 : cost(here[0]);
    const rows = here.map(({ message_bytes: _size, ...row }) => ({
      ...row,
      isTied: cost(row) <= least * (1 + EQUAL_WITHIN),
    }));
    return { message_bytes, rows };
  });
  const values = points.map(({ value }) => value);
  return { domain: [Math.min(...values), Math.max(...values)], rankings };
}
