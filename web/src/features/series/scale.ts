/** The horizontal axis that the charts over commits share. */
import { ordinalScale, type Scale, timeScale } from "@/components/chart/ticks";
import type { Axis } from "./search";

/** The share of the axis that is left free at either end, so that no mark there is cut. */
const ROOM = 0.015;

export function scaleOf(axis: Axis, [from, to]: readonly [number, number]): Scale {
  const { domain, ticks } =
    axis === "time" ? timeScale([from, to]) : ordinalScale([Math.round(from), Math.round(to)]);
  const room = (domain[1] - domain[0]) * ROOM;
  return { domain: [domain[0] - room, domain[1] + room], ticks };
}
