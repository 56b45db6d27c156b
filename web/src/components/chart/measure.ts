/** The two kinds of numbers that charts show, and how their axes are scaled and labelled. */
import { axisLabelsOfNs, axisLabelsOfRate, formatNs, formatRate, rateUnitSize } from "@/lib/units";
import { byteScale, linearScale, logScale, type Scale } from "./ticks";

/** How one kind of number is written and laid out. */
export type Measure = {
  format: (value: number) => string;
  axisLabels: (ticks: number[]) => string[];
  linear: (values: number[]) => Scale;
  logarithmic: (values: number[]) => Scale;
};

/** Times in nanoseconds. */
export const LATENCY: Measure = {
  format: formatNs,
  axisLabels: axisLabelsOfNs,
  linear: (values) => linearScale(values),
  logarithmic: (values) => logScale(values),
};

/** Rates in bytes per second. */
export const RATE: Measure = {
  format: formatRate,
  axisLabels: axisLabelsOfRate,
  linear: (values) => linearScale(values, 5, rateUnitSize(Math.max(...values, 0))),
  logarithmic: (values) => byteScale(values),
};
