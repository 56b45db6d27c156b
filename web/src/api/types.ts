/** Short names for the generated types of the API's answers. */
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type Canary = Schemas["Canary"];
export type Case = Schemas["Case"];
export type ChangePoint = Schemas["ChangePoint"];
export type CommitPlace = Schemas["CommitPlace"];
export type CommitSummary = Schemas["CommitSummary"];
export type ClassErrorRates = Schemas["ClassErrorRates"];
export type CountedShare = Schemas["CountedShare"];
export type Culprit = Schemas["Culprit"];
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
export type Regression = Schemas["Regression"];
export type RegressionChange = Schemas["RegressionChange"];
export type RegressionDetail = Schemas["RegressionDetail"];
export type RegressionState = Regression["state"];
export type RunDetail = Schemas["RunDetail"];
export type RunResult = Schemas["RunResult"];
export type RunSummary = Schemas["RunSummary"];
export type SeriesPoints = Schemas["SeriesPoints"];
export type SeriesSummary = Schemas["SeriesSummary"];
export type SessionInfo = Schemas["SessionInfo"];
export type StatedPoint = Schemas["StatedPoint"];
export type TransportInfo = Schemas["TransportInfo"];
export type ChangePointList = Schemas["ChangePointList"];
export type Comparison = Schemas["Comparison"];
export type ComparisonPair = Schemas["ComparisonPair"];
export type HeatMapChart = Schemas["HeatMapChart"];
export type Job = Schemas["Job"];
export type LineChart = Schemas["LineChart"];
export type LineSeries = Schemas["LineSeries"];
export type MeasuredSide = Schemas["MeasuredSide"];
export type PullRequestSummary = Schemas["PullRequestSummary"];
export type SeriesFacets = Schemas["SeriesFacets"];
export type SweepChart = Schemas["SweepChart"];
export type Verdict = Schemas["Verdict"];
export type TokenSummary = Schemas["TokenSummary"];
export type Member = Schemas["Member"];
export type AccountSummary = Schemas["AccountSummary"];
export type AuditEvent = Schemas["AuditEvent"];
export type ProjectSettings = Schemas["ProjectSettings"];
export type Role = Schemas["Role"];
export type Scope = Schemas["Scope"];
export type HistogramBin = PointDetail["histogram"][number];
export type Repetition = PointDetail["repetitions"][number];

export type IssuedToken = Schemas["IssuedToken"];
export type NewAccount = Schemas["NewAccount"];
export type ProjectChange = Schemas["ProjectChange"];
export type TokenRequest = Schemas["TokenRequest"];
export type TokenKind = Schemas["TokenKind"];
export type Visibility = Schemas["Visibility"];

/** What the canaries of one run read; absent where they were not. Written by hand until the API's document has it. */
export type CanaryReading = {
  run_id: string;
  started_at: string;
  commit_ordinal: number;
  environment_id: number;
  p50_ns: Record<string, number>;
};
/** A machine's readings, oldest first. Written by hand until the API's document has it. */
export type CanaryHistory = { machine: string; readings: CanaryReading[] };
