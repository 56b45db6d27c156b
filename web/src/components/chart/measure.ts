/** The measures of charts, with axis scales and label formats. */
import { changeText } from "@/lib/changes";
import {
  axisLabelsOfNs,
  axisLabelsOfRate,
  formatBytes,
  formatNs,
  formatOf,
  formatRate,
  rateUnitSize,
  type Valued,
} from "@/lib/units";
import { byteScale, linearScale, logScale, type Scale } from "./ticks";

export type Measure = {
  format: (value: number) => string;
  axisLabels: (ticks: number[]) => string[];
  linear: (values: number[]) => Scale;
  logarithmic: (values: number[]) => Scale;
};

export const LATENCY: Measure = {
  format: formatNs,
  axisLabels: axisLabelsOfNs,
  linear: (values) => linearScale(values),
  logarithmic: (values) => logScale(values),
};

export const RATE: Measure = {
  format: formatRate,
  axisLabels: axisLabelsOfRate,
  linear: (values) => linearScale(values, 5, rateUnitSize(Math.max(...values, 0))),
  logarithmic: (values) => byteScale(values),
};

/** A change on an axis: `+5 %`. */
export function changeTick(change: number): string {
  const percent = Number((change * 100).toPrecision(3));
  return percent === 0 ? "0 %" : `${percent < 0 ? "\u2212" : "+"}${Math.abs(percent)} %`;
}

/** Values relative to the median of their line. */
export const RELATIVE: Measure = {
  format: (ratio) => changeText(ratio - 1),
  axisLabels: (ticks) => ticks.map((ratio) => (ratio === 1 ? "median" : changeTick(ratio - 1))),
  linear: (values) => linearScale(values),
  logarithmic: (values) => logScale(values),
};

/** The measure of a case's stored values. */
export function measureOf(valued: Valued): Measure {
  if (valued.measure == null) return LATENCY;
  const format = formatOf(valued);
  const scaled = { ...LATENCY, format, axisLabels: (ticks: number[]) => ticks.map(format) };
  const isWhole = (valued.operations ?? 1) === 1;
  const isOfBytes = ["B", "B/s"].includes(valued.measure.unit);
  // Ticks of bytes are powers of two.
  return isWhole && isOfBytes ? { ...scaled, linear: RATE.linear, logarithmic: RATE.logarithmic } : scaled;
}

export function logAxis(measure: Measure, values: number[]) {
  const label = (tick: number) => measure.axisLabels([tick])[0] ?? "";
  return { ...measure.logarithmic(values), label, isLogarithmic: true };
}

/** A logarithmic axis of message sizes, with padding. */
export function byteAxis(sizes: number[]) {
  return { ...byteScale(sizes), label: formatBytes, isLogarithmic: true, padding_px: 8 };
}
