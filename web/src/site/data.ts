/** The lists of a site, which are files. */
import type * as Api from "@/api/types";
import { missing, unknownSeries } from "./endpoint";
import { isKept, nameOf, read } from "./files";

/** What the generator has written. */
type Extent = {
  /** Per project: the number of the newest runs with all details, and of the newest commits with a comparison. */
  detailed_runs: number;
};

/** A file that every site has. */
export async function required<Contents>(name: string): Promise<Contents> {
  const contents = await read<Contents>(name);
  if (contents === null) throw missing("unknown-path", `This site has no ${name}.`);
  return contents;
}

const ofProject =
  <List>(list: string) =>
  (project: string) =>
    required<List>(`projects/${project}/${list}`);

export const extentOf = () => required<Extent>("site");
export const detailedRuns = () => required<string[]>("detailed-runs");
export const projectList = () => required<Api.ProjectList>("projects");
export const projectOf = (project: string) => required<Api.ProjectSummary>(`projects/${project}`);
export const machineList = ofProject<Api.MachineList>("machines");
export const runList = ofProject<Api.RunList>("runs");
export const commitList = ofProject<Api.CommitList>("commits");
export const seriesList = ofProject<Api.SeriesList>("series");
export const pullRequestList = ofProject<Api.PullRequestList>("pull-requests");
export const regressionList = ofProject<Api.RegressionList>("regressions");
export const suspicionList = ofProject<Api.SuspicionList>("suspicions");

/** A chart of one series; `null` if the site has none. */
export const chartOf = <Chart>(chart: "line" | "heatmap" | "budget", series: number) =>
  read<Chart>(nameOf(`charts/${chart}`, { series }));

/**
 * A series, of any project.
 *
 * @throws Refusal if no project has it.
 */
export async function seriesById(series_id: number): Promise<Api.SeriesSummary> {
  const { projects } = await projectList();
  const isLoaded = ({ project }: Api.ProjectSummary) => isKept(`projects/${project}/series`);
  for (const { project } of projects.toSorted((a, b) => Number(isLoaded(b)) - Number(isLoaded(a)))) {
    const { series } = await seriesList(project);
    const found = series.find((entry) => entry.series_id === series_id);
    if (found !== undefined) return found;
  }
  throw unknownSeries(series_id);
}

/** The runs of the trend: on the default branch, without pull requests. */
export async function mainRuns(project: string): Promise<Set<string>> {
  const [{ default_branch }, { runs }] = await Promise.all([projectOf(project), runList(project)]);
  const isMain = ({ pull_request, quarantined, superseded, branch }: Api.RunSummary) =>
    pull_request === null &&
    !quarantined &&
    !superseded &&
    (branch === null || default_branch === null || branch === default_branch);
  return new Set(runs.filter(isMain).map(({ run_id }) => run_id));
}
