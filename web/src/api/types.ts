/** The types of the API's answers by their names, and what they leave out. */
import type * as Schema from "./schema.gen";

export type * from "./schema.gen";

export type RegressionState = Schema.Regression["state"];
export type HistogramBin = Schema.PointDetail["histogram"][number];
export type Repetition = Schema.PointDetail["repetitions"][number];
export type SweepChart = Schema.SweepChart & { crossovers: Schema.Crossover[] };
