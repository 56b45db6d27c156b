/** Short names for the generated types of the API's answers. */
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type Canary = Schemas["Canary"];
export type Case = Schemas["Case"];
export type CommitSummary = Schemas["CommitSummary"];
export type ClassErrorRates = Schemas["ClassErrorRates"];
export type CountedShare = Schemas["CountedShare"];
export type Delivery = Schemas["Delivery"];
export type EndObservation = Schemas["EndObservation"];
export type EnvironmentBegins = Schemas["EnvironmentBegins"];
export type ErrorRateList = Schemas["ErrorRateList"];
export type HistoryErrorRates = Schemas["HistoryErrorRates"];
export type MachineErrorRates = Schemas["MachineErrorRates"];
export type MachineSummary = Schemas["MachineSummary"];
export type Methodology = Schemas["Methodology"];
export type Observed = Schemas["Observed"];
export type Point = Schemas["Point"];
export type PointDetail = Schemas["PointDetail"];
export type PointList = Schemas["PointList"];
export type Problem = Schemas["Problem"];
export type ProjectSummary = Schemas["ProjectSummary"];
export type Pruned = Schemas["Pruned"];
export type RunDetail = Schemas["RunDetail"];
export type RunResult = Schemas["RunResult"];
export type RunSummary = Schemas["RunSummary"];
export type SeriesPoints = Schemas["SeriesPoints"];
export type SeriesSummary = Schemas["SeriesSummary"];
export type SessionInfo = Schemas["SessionInfo"];
export type StatedPoint = Schemas["StatedPoint"];
export type TransportInfo = Schemas["TransportInfo"];
export type HistogramBin = PointDetail["histogram"][number];
export type Repetition = PointDetail["repetitions"][number];
