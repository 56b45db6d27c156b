/** Every link of the product as a function, so that a page's address is written once. */
import { linkOptions } from "@tanstack/react-router";
import type { MeasureSearch } from "./measure";

/** The entry: the only project, or the list of them. */
export const toHome = () => linkOptions({ to: "/" });

/** A project's overview. */
export const toOverview = (project: string) => linkOptions({ to: "/$project", params: { project } });

/** A project's runs. */
export const toRuns = (project: string) => linkOptions({ to: "/$project/runs", params: { project } });

/** How often what is said of a project's machines is wrong. */
export const toErrorRates = (project: string) =>
  linkOptions({ to: "/$project/error-rates", params: { project } });

/** What changed and why, and what people say of it. */
export const toRegressions = (project: string) =>
  linkOptions({ to: "/$project/regressions", params: { project } });

/** One regression. */
export const toRegression = (project: string, regressionId: number) =>
  linkOptions({
    to: "/$project/regressions/$regressionId",
    params: { project, regressionId: String(regressionId) },
  });

/** One run. */
export const toRun = (project: string, runId: string) =>
  linkOptions({ to: "/$project/runs/$runId", params: { project, runId } });

/** One series, as it usually opens. */
export const toSeries = (project: string, seriesId: number) =>
  linkOptions({ to: "/$project/series/$seriesId", params: { project, seriesId: String(seriesId) } });

/** One series with the point of one run pinned. */
export const toPoint = (project: string, seriesId: number, runId: string) =>
  linkOptions({
    to: "/$project/series/$seriesId",
    params: { project, seriesId: String(seriesId) },
    search: { run: runId },
  });

/** Several series drawn together: on the page of the first, with the others. */
export const toSeriesTogether = (project: string, [first = 0, ...others]: readonly number[]) =>
  linkOptions({
    to: "/$project/series/$seriesId",
    params: { project, seriesId: String(first) },
    search: { with: others.join(",") },
  });

/** All series of a project, to choose from. */
export const toExplore = (project: string) => linkOptions({ to: "/$project/explore", params: { project } });

/** Those series that a search finds. */
export const toFound = (project: string, q: string) =>
  linkOptions({ to: "/$project/explore", params: { project }, search: { q } });

/** A project's machines, and the agents on them. */
export const toMachines = (project: string) => linkOptions({ to: "/$project/machines", params: { project } });

/** What is measured, what waits, and what became of what was asked for. */
export const toQueue = (project: string) => linkOptions({ to: "/$project/jobs", params: { project } });

/** One job. */
export const toJob = (project: string, jobId: number) =>
  linkOptions({ to: "/$project/jobs/$jobId", params: { project, jobId: String(jobId) } });

/** Asking for commits to be measured, with what is known of the wish filled in. */
export const toMeasure = (project: string, search: MeasureSearch = {}) =>
  linkOptions({ to: "/$project/measure", params: { project }, search });

/** A project's pull requests. */
export const toPullRequests = (project: string) =>
  linkOptions({ to: "/$project/pull-requests", params: { project } });

/** Latency against message size. */
export const toSweep = (project: string) => linkOptions({ to: "/$project/sweep", params: { project } });

/** Latency against the number of peers. */
export const toTopology = (project: string) => linkOptions({ to: "/$project/topology", params: { project } });

/** How large messages are in real traffic. */
export const toSizes = (project: string) => linkOptions({ to: "/$project/sizes", params: { project } });

/** Which transport to take for messages of some sizes. */
export const toAdvisor = (project: string) => linkOptions({ to: "/$project/advisor", params: { project } });

/** What others have published. */
export const toReference = (project: string) =>
  linkOptions({ to: "/$project/reference", params: { project } });

/** The question of a publication, answered by what was measured here. */
export const toWorked = (project: string, reference: string) =>
  linkOptions({ to: "/$project/reference/$reference", params: { project, reference } });

/** What a project is set to, and who may do what. */
export const toSettings = (project: string) => linkOptions({ to: "/$project/settings", params: { project } });

/** Two commits or runs, side by side. */
export const toCompare = (project: string) => linkOptions({ to: "/$project/compare", params: { project } });

/** Two commits or runs of a project compared: full or short object names, or identities of runs. */
export const toComparison = (project: string, base: string, head: string) =>
  linkOptions({ to: "/$project/compare", params: { project }, search: { base, head } });

/** One machine. */
export const toMachine = (project: string, machine: string) =>
  linkOptions({ to: "/$project/machines/$machine", params: { project, machine } });

/** One pull request. */
export const toPullRequest = (project: string, pullRequest: number) =>
  linkOptions({
    to: "/$project/pull-requests/$pullRequest",
    params: { project, pullRequest: String(pullRequest) },
  });

/** One series with the point of one commit pinned, by its place. */
export const toSeriesAt = (project: string, seriesId: number, at: number) =>
  linkOptions({
    to: "/$project/series/$seriesId",
    params: { project, seriesId: String(seriesId) },
    search: { at },
  });

/** All points of a series in full, as CSV. */
export const lineCsvHref = (seriesId: number): string =>
  `/api/v1/charts/line?series=${seriesId}&last=10000&format=csv`;

/** All of a comparison, with the figures of every repetition. */
export function compareCsvHref(
  project: string,
  asked: { base: string; head: string; machine?: string; q?: string; kind?: string },
): string {
  return `/api/v1/projects/${project}/compare?${new URLSearchParams({ ...asked, format: "csv" })}`;
}

/** The sign-in page: no project can have this address. */
export const SIGN_IN_PATH = "/-/sign-in";

/** Making a project before its first run. */
export const NEW_PROJECT_PATH = "/-/new-project";
export const toNewProject = () => linkOptions({ to: NEW_PROJECT_PATH });

/** Signing in, and from there back to a page. */
export const toSignIn = (to: string) => linkOptions({ to: SIGN_IN_PATH, search: { to } });

/** Signing in with GitHub, and from there back to a page. */
export const githubHref = (to: string): string => `/auth/github?to=${encodeURIComponent(to)}`;

/** A page of the documentation, by its path in `docs/`. */
export const docsHref = (path: string): string =>
  `https://github.com/roundtrip-ipc/roundtrip/blob/main/docs/${path}`;

/** The file of another tool that a run was imported from. */
export const originalHref = (runId: string): string => `/api/v1/runs/${encodeURIComponent(runId)}/original`;

/** A run's upload as the server kept it. */
export const reportHref = (runId: string): string => `/api/v1/runs/${encodeURIComponent(runId)}/report`;
