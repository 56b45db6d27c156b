/** Data of a run that was deleted by the retention settings. */
import type { Pruned } from "@/api/types";
import { formatDay } from "./time";

/** What was deleted, and when; null if nothing was. */
export function prunedNote({ upload_at, histograms_at, points_at }: Pruned): string | null {
  if (points_at !== null) return `Results deleted on ${formatDay(points_at)} (retention).`;
  const missing = [
    ...(upload_at === null ? [] : [`upload and repetitions on ${formatDay(upload_at)}`]),
    ...(histograms_at === null ? [] : [`distributions on ${formatDay(histograms_at)}`]),
  ];
  return missing.length === 0 ? null : `Deleted (retention): ${missing.join("; ")}.`;
}
