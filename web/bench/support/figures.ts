/** What was measured, as the verb that judges it reads it: a line of JSON a figure. */
import { appendFileSync } from "node:fs";
import { variable } from "../../e2e/support/variable";

/** Values of turns, in the unit that the bar of the key has, and those of a peer that took turns with it. */
export type Figure = {
  key: string;
  /** Of what, where one bar is for several. */
  of: string;
  values: number[];
  peer: { name: string; values: number[] };
};

/** Whether fewer turns do. */
const IS_QUICK = process.env.ROUNDTRIP_QUICK !== undefined;

/** How many: of a whole measurement, or of a quick one. */
export const turns = (whole: number, quick: number): number => (IS_QUICK ? quick : whole);

/**
 * Hands a figure on.
 *
 * @throws without a destination.
 */
export function keep(figure: Figure): void {
  const file = variable("ROUNDTRIP_FIGURES", "run `cargo xtask bench web`");
  appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** A remark on the rows of this run. */
export function remark(text: string): void {
  process.stdout.write(`remark: ${text}\n`);
}

export function percentile(values: number[], hundredths: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((sorted.length * hundredths) / 100) - 1)] ?? 0;
}
