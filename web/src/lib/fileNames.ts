/** Names of downloaded files: the series they show. Pure. */
import type { SeriesSummary } from "@/api/types";
import { benchmarkName, caseName, parametersKey, parametersOf } from "./cases";

/** File systems limit the length of names. */
const FILE_NAME_MAX = 80;

/** A series, or only its case. */
export type Filed = Pick<SeriesSummary, "case"> & Partial<SeriesSummary>;

export function fileName({ machine, transport, case: kase, methodology }: Filed): string {
  const benchmark = benchmarkName(kase);
  const parameters = parametersKey(parametersOf(kase));
  const parts =
    benchmark === null
      ? [
          machine,
          kase.scenario,
          transport?.slug,
          kase.mode,
          kase.placement,
          kase.message_bytes,
          parameters,
          methodology?.probe == null ? "" : `probe-${methodology.probe}`,
        ]
      : [machine, transport?.slug, inFileName(benchmark), methodology?.statistic];
  return parts.filter((part) => part != null && part !== "").join("-");
}

/** The same in words, for pictures: `pipe, round trip 1 KiB, 2 processes, same CPU, lab-1`. */
export function subjectOf({ machine, transport, case: kase }: Filed): string {
  return [transport?.slug, caseName(kase), machine].filter((part) => part !== undefined).join(", ");
}

/** A benchmark's name with only characters that file systems accept. */
export function inFileName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, FILE_NAME_MAX);
}
