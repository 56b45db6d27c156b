/**
 * The uploaded report, and its percentiles recalculated from the samples, independently of the server, to compare with
 * pages.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { components } from "../../src/api/schema.gen";
import { variable } from "./variable";

/** A report as it is uploaded. */
export type Report = components["schemas"]["RunReport"];
type Result = Report["results"][number];

/** Quantiles in parts per million, so that ranks are exact. */
export const P50 = 500_000;
export const P98 = 980_000;
export const P99 = 990_000;

/**
 * Reads the report that `ROUNDTRIP_REPORT` names.
 *
 * @throws if the variable is missing.
 */
export function readReport(): Report {
  const path = variable("ROUNDTRIP_REPORT", "expected the path of the JSON report that was uploaded");
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The default cases of the overview. */
export const USUAL_CASES = {
  scenario: "roundtrip",
  mode: "2proc",
  placement: "same-cpu",
  buffer_bytes: null,
  rate_per_second: null,
  size_profile: null,
};

/** The measured result of a case. */
export function resultOf(report: Report, transport: string, kase: Partial<Result["case"]>): Result {
  const found = measuredResults(report, kase).find((result) => result.transport.slug === transport);
  if (found === undefined) {
    throw new Error(`The report has no measured ${transport} with ${JSON.stringify(kase)}.`);
  }
  return found;
}

/** The results with repetitions that match the parameters. */
export function measuredResults(report: Report, kase: Partial<Result["case"]>): Result[] {
  return report.results.filter(
    (result) =>
      result.repetitions.length > 0 &&
      Object.entries(kase).every(
        ([key, value]) => (result.case[key as keyof Result["case"]] ?? null) === value,
      ),
  );
}

/** The same report for a child of another report's commit. */
export function childOf({ commit: parent }: Report, report: Report, subject: string): Report {
  const commit = {
    ...report.commit,
    sha: randomBytes(20).toString("hex"),
    parents: [parent.sha],
    subject,
    first_parent_ordinal: (parent.first_parent_ordinal ?? 0) + 1,
  };
  return { ...report, commit, history: [parent, ...(report.history ?? [])] };
}

/** The same report as another run of the same time. */
export function asAnotherRun(report: Report): Report {
  return { ...report, run_id: report.run_id.slice(0, -12) + randomBytes(6).toString("hex") };
}

/** All samples of all repetitions, ascending. */
export function samplesOf(result: Result): number[] {
  const samples = result.repetitions.flatMap(({ samples: text, index }) => {
    if (text == null)
      throw new Error(`Repetition ${index} of ${result.transport.slug} came without samples.`);
    return decodeSamples(text);
  });
  return samples.sort((a, b) => a - b);
}

/** The nearest-rank quantile of ascending values. */
export function quantile(sorted: number[], q_ppm: number): number {
  const rank = Math.max(1, Math.ceil((q_ppm * sorted.length) / 1_000_000));
  const value = sorted[rank - 1];
  if (value === undefined) throw new Error("There is no quantile of nothing.");
  return value;
}

/** Differences between neighbours as LEB128, base64. */
function decodeSamples(text: string): number[] {
  const samples: number[] = [];
  let previous = 0;
  let difference = 0;
  let weight = 1;
  for (const byte of Buffer.from(text, "base64")) {
    difference += (byte & 0x7f) * weight;
    weight *= 0x80;
    if ((byte & 0x80) !== 0) continue;
    previous += difference;
    samples.push(previous);
    difference = 0;
    weight = 1;
  }
  return samples;
}
