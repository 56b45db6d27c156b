/** What points have to say in words. */
import type { Case, Delivery, Point } from "@/api/types";
import { counted, formatCount, shareOfAll, unbroken } from "./units";

/** What the figures of an oversubscribed result contain besides the transport. */
export const OVERSUBSCRIBED = "more threads than processors: waiting for one is part of the times";

/** How many messages had to arrive: each at every receiver. */
export function expectedOf({ attempted }: Pick<Point, "attempted">, { peers }: Case): number {
  return attempted * peers;
}

/** What a lossy point lost. Everything may have arrived, and still not as it was sent. */
export function lossText(point: Point, kase: Case): string {
  const expected = expectedOf(point, kase);
  if (point.accepted < point.attempted) return `${acceptedText(point)}, and ${arrivalText(point, kase)}`;
  return point.delivered === expected
    ? "messages arrived altered or out of order"
    : `${formatCount(point.delivered)} of ${formatCount(expected)} messages arrived`;
}

export function lossMark(point: Point, kase: Case): string {
  const expected = expectedOf(point, kase);
  return point.delivered === expected
    ? "lossy: altered or out of order"
    : `lossy: ${formatCount(point.delivered)} of ${formatCount(expected)}`;
}

/** How much of what was tried the transport took: `accepted 16,817 of 100,000 attempts (17 %)`. */
export function acceptedText({ accepted, attempted }: Point): string {
  const share = shareOfAll(accepted / Math.max(1, attempted));
  return `accepted ${formatCount(accepted)} of ${formatCount(attempted)} attempts (${unbroken(share)})`;
}

export function acceptedMark({ accepted, attempted }: Point): string {
  const share = shareOfAll(accepted / Math.max(1, attempted));
  return `${formatCount(accepted)} of ${formatCount(attempted)} (${unbroken(share)})`;
}

/**
 * The median time of an operation over its messages; `null` where a case does not count them. Of a lossy point only those
 * count that a receiver got, on average: what was not taken is no message, and a time divided by attempts says nothing.
 */
export function nsPerMessage(
  point: Point,
  { messages, peers }: Pick<Case, "messages" | "peers">,
): number | null {
  if (messages == null) return null;
  const arrived = point.delivered / Math.max(1, peers * point.count);
  const divisor = point.lossy ? arrived : messages;
  return divisor > 0 ? point.latency_ns.p50 / divisor : null;
}

export function dividedBy({ lossy }: Pick<Point, "lossy">): "a message" | "a message delivered" {
  return lossy ? "a message delivered" : "a message";
}

/** Whether a receiver got everything that the transport took, once, in order and intact. */
export function isWhole({ lost, duplicated, out_of_order, torn }: Delivery): boolean {
  return lost + duplicated + out_of_order + torn === 0;
}

function arrivalText({ accepted, delivered }: Point, { peers }: Case): string {
  const due = accepted * peers;
  const where = peers === 1 ? "" : ` at ${counted(peers, "receiver")}`;
  return delivered === due
    ? `all of these arrived${where}`
    : `${formatCount(delivered)} of the ${formatCount(due)} due${where} arrived`;
}
