/** What points have to say in words. */
import type { Case, Point } from "@/api/types";
import { formatCount } from "./units";

/** How many messages had to arrive: each at every receiver. */
export function expectedOf({ attempted }: Point, { peers }: Case): number {
  return attempted * peers;
}

/** What a lossy point lost. Everything may have arrived, and still not as it was sent. */
export function lossText(point: Point, kase: Case): string {
  const expected = expectedOf(point, kase);
  return point.delivered === expected
    ? "messages arrived altered or out of order"
    : `${formatCount(point.delivered)} of ${formatCount(expected)} messages arrived`;
}

/** The same in a few characters, for tables. */
export function lossMark(point: Point, kase: Case): string {
  const expected = expectedOf(point, kase);
  return point.delivered === expected
    ? "lossy: altered or out of order"
    : `lossy: ${formatCount(point.delivered)} of ${formatCount(expected)}`;
}
