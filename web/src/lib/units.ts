/**
 * Formats numbers with their units: three significant digits, rounded half up, and one unit chosen after
 * rounding, so that 999.6 µs reads 1.00 ms and never 1000 µs. Whole nanoseconds, bytes and counts stay exact.
 */

import type { Case } from "@/api/types";

/** A formatted number and its unit, separate so that they can be styled. */
export type Quantity = { value: string; unit: string };

type Unit = { size: number; name: string };

const TIME_UNITS: Unit[] = [
  { size: 1, name: "ns" },
  { size: 1e3, name: "µs" },
  { size: 1e6, name: "ms" },
  { size: 1e9, name: "s" },
];

const BYTE_UNITS: Unit[] = ["B", "KiB", "MiB", "GiB", "TiB"].map((name, power) => ({
  size: 1024 ** power,
  name,
}));

/** A time in whole nanoseconds, as in 4.02 µs. */
export function quantityOfNs(ns: number): Quantity {
  return inUnits(ns, TIME_UNITS, significant);
}

export function formatNs(ns: number): string {
  return joined(quantityOfNs(ns));
}

/** A time that was divided, as in 8.37 ns: three digits, also below one nanosecond. */
export function quantityOfDividedNs(ns: number): Quantity {
  const rounded = Number(ns.toPrecision(3));
  return rounded < 100 ? { value: ns.toPrecision(3), unit: "ns" } : quantityOfNs(Math.round(ns));
}

export function formatDividedNs(ns: number): string {
  return joined(quantityOfDividedNs(ns));
}

/** What the stored values of a case are. Without a measure, they are times in nanoseconds. */
export type Valued = Pick<Case, "measure" | "operations">;

/** A stored value of a case, in the unit of its measure. */
export function quantityOf(stored: number, { measure, operations }: Valued): Quantity {
  if (measure == null) return quantityOfNs(stored);
  const value = stored / (operations ?? 1);
  switch (measure.unit) {
    case "ns":
      return quantityOfDividedNs(value);
    case "B":
      return inUnits(value, BYTE_UNITS, significant);
    case "B/s":
      return quantityOfRate(value);
    default:
      return { value: formatNumber(value), unit: measure.unit };
  }
}

export function formatValue(stored: number, valued: Valued): string {
  return joined(quantityOf(stored, valued)).trim();
}

/** Formats the stored values of a case. */
export function formatOf(valued: Valued): (stored: number) => string {
  return (stored) => formatValue(stored, valued);
}

/** A number without a scale: all digits before the point, three if it is smaller. */
function formatNumber(value: number): string {
  const digits = Number.isInteger(value) || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1;
  return (DECIMALS[digits] ?? COUNTS).format(value);
}

/** A size in bytes: exact where a few digits say it exactly, as in 64 KiB or 1.5 KiB. */
export function formatBytes(bytes: number): string {
  return joined(inUnits(bytes, BYTE_UNITS, short));
}

/** A size in bytes without rounding, as in 64 KiB or 5,000 B, so that different sizes look different. */
export function formatBytesExactly(bytes: number): string {
  const unit = BYTE_UNITS.findLast(({ size }) => bytes >= size && bytes % size === 0);
  return `${formatCount(bytes / (unit?.size ?? 1))} ${unit?.name ?? "B"}`;
}

export function quantityOfRate(bytesPerSecond: number): Quantity {
  const { value, unit } = inUnits(bytesPerSecond, BYTE_UNITS, significant);
  return { value, unit: `${unit}/s` };
}

export function formatRate(bytesPerSecond: number): string {
  return joined(quantityOfRate(bytesPerSecond));
}

/** The size in bytes of the unit that a rate is written in. */
export function rateUnitSize(bytesPerSecond: number): number {
  return unitOf(bytesPerSecond, BYTE_UNITS).size;
}

// Shared: creating one is slower than formatting with it.
const COUNTS = new Intl.NumberFormat("en");
const DECIMALS = [0, 1, 2, 3].map(
  (digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

export function formatCount(count: number): string {
  return COUNTS.format(count);
}

/** A count and its noun, as in "1 run" and "3 runs". */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** A count for sentences: small numbers as words. */
export function inWords(count: number): string {
  return WORDS[count] ?? formatCount(count);
}

/** A share between 0 and 1, as in 12.3 %. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.01) return "< 0.01 %";
  return `${percent < 1 ? percent.toFixed(2) : percent.toFixed(1)} %`;
}

/** A share in whole percents that never rounds to 0 or 100 %. */
export function shareOfAll(share: number): string {
  const percent = share * 100;
  if (percent < 10) return formatShare(share);
  if (percent <= 99) return `${Math.round(percent)} %`;
  return percent < 99.9 ? `${percent.toFixed(1)} %` : "> 99.9 %";
}

/** Labels of a time axis: one unit, and only as many decimals as the labels need to differ. */
export function axisLabelsOfNs(ticks: number[]): string[] {
  return axisLabels(ticks, TIME_UNITS, "");
}

export function axisLabelsOfRate(ticks: number[]): string[] {
  return axisLabels(ticks, BYTE_UNITS, "/s");
}

/** Keeps times together with their unit and the name before them. */
export function unbrokenTimes(text: string): string {
  return text.replace(/[ (][\d.,]+ [nµm]?s\b/g, unbroken);
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Prevents line breaks in a text. */
export function unbroken(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}

function axisLabels(ticks: number[], units: Unit[], suffix: string): string[] {
  const unit = unitOf(Math.max(...ticks, 0), units);
  const scaled = ticks.map((tick) => tick / unit.size);
  const isExact = (_: Intl.NumberFormat, digits: number) =>
    scaled.every((value) => Math.abs(Number(value.toFixed(digits)) - value) < 1e-6 * Math.max(1, value));
  const format = DECIMALS.find(isExact) ?? DECIMALS.at(-1);
  return scaled.map((value) => `${format?.format(value)} ${unit.name}${suffix}`);
}

function inUnits(amount: number, units: Unit[], format: (scaled: number, unit: Unit) => string): Quantity {
  const unit = unitOf(amount, units);
  const next = units[units.indexOf(unit) + 1];
  // Rounding can carry into the next unit, as 999.6 ns does not but 999.6 µs does.
  const carries = next !== undefined && unit.size > 1 && rounded(amount, unit) * unit.size >= next.size;
  const chosen = carries ? next : unit;
  return { value: format(amount, chosen), unit: chosen.name };
}

function unitOf(amount: number, units: Unit[]): Unit {
  return units.findLast((unit) => amount >= unit.size) ?? units[0] ?? { size: 1, name: "" };
}

/** The amount in a unit, to three significant digits; digits before the point are never rounded away. */
function rounded(amount: number, unit: Unit): number {
  const scaled = amount / unit.size;
  if (scaled >= 100 || unit.size === 1) return Math.round(scaled);
  // A hair above the binary fraction, so that a half such as 1.005 rounds up as it reads.
  return Number((scaled * (1 + Number.EPSILON)).toPrecision(3));
}

function significant(amount: number, unit: Unit): string {
  const value = rounded(amount, unit);
  return value >= 100 || unit.size === 1 ? formatCount(value) : value.toPrecision(3);
}

function short(amount: number, unit: Unit): string {
  const exact = amount / unit.size;
  return formatCount(Number.isInteger(exact) ? exact : rounded(amount, unit));
}

function joined({ value, unit }: Quantity): string {
  return `${value} ${unit}`;
}
