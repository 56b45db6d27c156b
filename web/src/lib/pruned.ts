/** What a run does not have any more because its project keeps it no longer, in words. */
import type { Pruned } from "@/api/types";
import { formatDay } from "./time";

/** What is missing of a run, and since when; null when nothing is. */
export function prunedNote({ upload_at, histograms_at, points_at }: Pruned): string | null {
  if (points_at !== null) return `Its results were removed on ${formatDay(points_at)}. ${AGE}`;
  const missing = [
    ...(upload_at === null
      ? []
      : [`its upload, which tells of single repetitions, on ${formatDay(upload_at)}`]),
    ...(histograms_at === null ? [] : [`its distributions on ${formatDay(histograms_at)}`]),
  ];
  return missing.length === 0
    ? null
    : `Removed: ${missing.join("; ")}. The other figures are what they were. ${AGE}`;
}

const AGE = "The project keeps them no longer.";
