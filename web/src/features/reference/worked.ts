/** Formatting and scales for the evidence of an answer. Pure. */
import type { EvidenceCell, EvidenceColumn, EvidenceTable } from "@/api/types";
import type { ForestMark } from "@/components/chart/ForestPlot";
import { type Estimate, type ForestScale, forestScale } from "@/components/chart/forest";
import { formatDividedNs, formatRate, shareOfAll } from "@/lib/units";

export type EvidenceLine = { key: string; label: string; points: { message_bytes: number; value: number }[] };

export function cellText({ value }: Pick<EvidenceCell, "value">, { unit }: EvidenceColumn): string {
  switch (unit) {
    case "ns":
      return formatDividedNs(value);
    case "bytes_per_second":
      return formatRate(value);
    case "share":
      return shareOfAll(value);
    case "times":
      return `× ${timesNumber(value)}`;
  }
}

/** The interval of a value; empty without one. */
export function intervalOf({ low, high }: EvidenceCell): string {
  return low === null || high === null ? "" : `[${timesNumber(low)}, ${timesNumber(high)}]`;
}

/** A column's head in a file: `pipe [bytes_per_second]`. */
export function csvName({ name, unit }: EvidenceColumn): string {
  return `${name} [${unit}]`;
}

/** Lines over message size; empty if the rows are not sizes. */
export function linesOf({ rows_are, columns, rows }: EvidenceTable): EvidenceLine[] {
  if (rows_are !== "message_bytes") return [];
  return columns.flatMap(({ name, unit }, place) => {
    if (unit === "times" || unit === "share") return [];
    const points = rows.flatMap(({ message_bytes, cells }) => {
      const value = cells[place]?.value;
      return message_bytes === null || value === undefined ? [] : [{ message_bytes, value }];
    });
    return [{ key: name, label: name, points }];
  });
}

/** A ratio on the log2 scale of the forest plot. */
export function estimateOf({ value, low, high }: EvidenceCell): Estimate {
  return {
    change: Math.log2(value),
    interval: low === null || high === null ? null : [Math.log2(low), Math.log2(high)],
    least: null,
  };
}

/** One axis for all ratios of a table; `null` without ratios. */
export function scaleOf({ columns, rows }: EvidenceTable): ForestScale | null {
  const estimates = columns.flatMap(({ unit }, place) =>
    unit !== "times"
      ? []
      : rows.flatMap(({ cells }) => (cells[place] == null ? [] : [estimateOf(cells[place])])),
  );
  return estimates.length === 0 ? null : forestScale(estimates);
}

/** Whether the interval excludes 1. */
export function markOf({ low, high }: EvidenceCell): ForestMark {
  const isSure = (low !== null && low > 1) || (high !== null && high < 1);
  return isSure ? "elsewhere" : "inconclusive";
}

/** An axis label: `× 2`, `÷ 4`. */
export function tickText(log2: number): string {
  if (log2 === 0) return "1";
  const times = 2 ** Math.abs(log2);
  return `${log2 < 0 ? "÷" : "×"} ${Number(times.toPrecision(2))}`;
}

function timesNumber(value: number): string {
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return value.toFixed(decimals);
}
