/** The look that all axes share, and the drawing area's margins. */

/** Properties of every axis. */
export const AXIS = {
  axisLine: false,
  tickLine: false,
  tick: { fill: "var(--muted)" },
  // Of our own ticks, those that would touch are left out; the ends stay.
  interval: "preserveStartEnd",
  minTickGap: 10,
} as const;

/** Room for the labels of a vertical axis. */
export const AXIS_WIDTH = 70;

/** Properties of the horizontal hairlines. */
export const GRID = { stroke: "var(--rule)", vertical: false } as const;
