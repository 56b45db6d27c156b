/** Delivery of points in words. */
import type { Case, Delivery, Point } from "@/api/types";
import { counted, formatCount, shareOfAll, unbroken } from "./units";

/** What oversubscription means for the times. */
export const OVERSUBSCRIBED = "more threads than processors; times include waiting";

/** How many messages were expected: each at every receiver. */
export function expectedOf({ attempted }: Pick<Point, "attempted">, { peers }: Case): number {
  return attempted * peers;
}

/** The loss of a lossy point. Messages can all arrive and still be altered or out of order. */
export function lossText(point: Point, kase: Case): string {
  const expected = expectedOf(point, kase);
  if (point.accepted < point.attempted) return `${acceptedText(point)}; ${arrivalText(point, kase)}`;
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

/** `accepted 16,817 of 100,000 attempts (17 %)` */
export function acceptedText({ accepted, attempted }: Point): string {
  const share = shareOfAll(accepted / Math.max(1, attempted));
  return `accepted ${formatCount(accepted)} of ${formatCount(attempted)} attempts (${unbroken(share)})`;
}

export function acceptedMark({ accepted, attempted }: Point): string {
  const share = shareOfAll(accepted / Math.max(1, attempted));
  return `${formatCount(accepted)} of ${formatCount(attempted)} (${unbroken(share)})`;
}

/**
 * The median time per message; `null` if the case has no message count. For a lossy point, per delivered message, averaged
 * over receivers: a time per attempt means nothing.
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

export function dividedBy({ lossy }: Pick<Point, "lossy">): "per message" | "per delivered message" {
  return lossy ? "per delivered message" : "per message";
}

/** Whether a receiver got all accepted messages once, in order and intact. */
export function isWhole({ lost, duplicated, out_of_order, torn }: Delivery): boolean {
  return lost + duplicated + out_of_order + torn === 0;
}

function arrivalText({ accepted, delivered }: Point, { peers }: Case): string {
  const due = accepted * peers;
  const where = peers === 1 ? "" : ` at ${counted(peers, "receiver")}`;
  return delivered === due
    ? `all arrived${where}`
    : `${formatCount(delivered)} of ${formatCount(due)} arrived${where}`;
}
