/** Writes measured figures for `cargo xtask bench web`, one JSON line each. */
import { appendFileSync } from "node:fs";
import { variable } from "../../e2e/support/variable";

/** The values of all rounds, in the unit of the budget for `key`, and those of a peer measured in the same rounds. */
export type Figure = {
  key: string;
  /** Distinguishes figures with the same key; may be empty. */
  variant: string;
  values: number[];
  peer: { name: string; values: number[] };
};

/** Whether to measure fewer repetitions. */
const IS_QUICK = process.env.ROUNDTRIP_QUICK !== undefined;

/** Returns the number for a full or for a quick measurement. */
export const fullOrQuick = (full: number, quick: number): number => (IS_QUICK ? quick : full);

/**
 * Appends a figure to the file that `ROUNDTRIP_FIGURES` names.
 *
 * @throws if the variable is missing.
 */
export function record(figure: Figure): void {
  const file = variable("ROUNDTRIP_FIGURES", "run `cargo xtask bench web`");
  appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Prints a remark, which the command shows with the rows. */
export function remark(text: string): void {
  process.stdout.write(`remark: ${text}\n`);
}

export function percentile(values: number[], hundredths: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((sorted.length * hundredths) / 100) - 1)] ?? 0;
}
