/** Names for types of the API, and their missing details. */
import type * as Schema from "./schema.gen";

export type * from "./schema.gen";

export type RegressionState = Schema.Regression["state"];
export type HistogramBin = Schema.PointDetail["histogram"][number];
export type Repetition = Schema.PointDetail["repetitions"][number];
export type SweepChart = Schema.SweepChart & { crossovers: Schema.Crossover[] };
