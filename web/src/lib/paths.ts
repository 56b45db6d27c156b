/** A function for every link, so that each address is defined once. */
import { linkOptions } from "@tanstack/react-router";
import type { MeasureSearch } from "./measure";
import { isSite } from "./site";

/** Links to a page of a project. */
const page =
  <const To extends string>(to: To) =>
  (project: string) => ({ to, params: { project } });

/** The start page: the only project, or the list of projects. */
export const toHome = () => linkOptions({ to: "/" });

export const toOverview = page("/$project");
export const toRuns = page("/$project/runs");
export const toErrorRates = page("/$project/error-rates");
export const toRegressions = page("/$project/regressions");

export const toRegression = (project: string, regressionId: number) =>
  linkOptions({
    to: "/$project/regressions/$regressionId",
    params: { project, regressionId: String(regressionId) },
  });

/** The profiles of both sides of a regression. */
export const toProfile = (project: string, regressionId: number) =>
  linkOptions({
    to: "/$project/regressions/$regressionId/profile",
    params: { project, regressionId: String(regressionId) },
  });

export const toRun = (project: string, runId: string) =>
  linkOptions({ to: "/$project/runs/$runId", params: { project, runId } });

export const toSeries = (project: string, seriesId: number) =>
  linkOptions({ to: "/$project/series/$seriesId", params: { project, seriesId: String(seriesId) } });

export const toPoint = (project: string, seriesId: number, runId: string) =>
  linkOptions({
    to: "/$project/series/$seriesId",
    params: { project, seriesId: String(seriesId) },
    search: { run: runId },
  });

/** Several series in one chart, on the page of the first. */
export const toSeriesTogether = (project: string, [first = 0, ...others]: readonly number[]) =>
  linkOptions({
    to: "/$project/series/$seriesId",
    params: { project, seriesId: String(first) },
    search: { with: others.join(",") },
  });

export const toExplore = page("/$project/explore");

export const toFound = (project: string, q: string) =>
  linkOptions({ to: "/$project/explore", params: { project }, search: { q } });

export const toMachines = page("/$project/machines");
export const toQueue = page("/$project/jobs");

export const toJob = (project: string, jobId: number) =>
  linkOptions({ to: "/$project/jobs/$jobId", params: { project, jobId: String(jobId) } });

/** The new-job form, with known values filled in. */
export const toMeasure = (project: string, search: MeasureSearch = {}) =>
  linkOptions({ to: "/$project/measure", params: { project }, search });

export const toPullRequests = page("/$project/pull-requests");
export const toSweep = page("/$project/sweep");
export const toTopology = page("/$project/topology");
export const toSizes = page("/$project/sizes");
export const toAdvisor = page("/$project/advisor");
export const toReference = page("/$project/reference");

export const toWorked = (project: string, reference: string) =>
  linkOptions({ to: "/$project/reference/$reference", params: { project, reference } });

export const toSettings = page("/$project/settings");
export const toCompare = page("/$project/compare");

/** The comparison of two commits or runs: full or short SHAs, or run ids. */
export const toComparison = (project: string, base: string, head: string) =>
  linkOptions({ to: "/$project/compare", params: { project }, search: { base, head } });

export const toMachine = (project: string, machine: string) =>
  linkOptions({ to: "/$project/machines/$machine", params: { project, machine } });

export const toPullRequest = (project: string, pullRequest: number) =>
  linkOptions({
    to: "/$project/pull-requests/$pullRequest",
    params: { project, pullRequest: String(pullRequest) },
  });

/** Short, but unique also in large repositories. */
const NAME_DIGITS = 12;

/** Everything about a commit, by its SHA or a prefix of at least seven digits. */
export const toCommit = (project: string, sha: string) =>
  linkOptions({ to: "/$project/commit/$sha", params: { project, sha: sha.slice(0, NAME_DIGITS) } });

/** A series with one pinned commit, by its ordinal. */
export const toSeriesAt = (project: string, seriesId: number, at: number) =>
  linkOptions({
    to: "/$project/series/$seriesId",
    params: { project, seriesId: String(seriesId) },
    search: { at },
  });

/** The address of a file that the server writes; `null` on a site. */
const onServer = (path: string): string | null => (isSite() ? null : path);

export const lineCsvHref = (seriesId: number) =>
  onServer(`/api/v1/charts/line?series=${seriesId}&last=10000&format=csv`);

/** The CSV of a comparison, with the values of every repetition. */
export function compareCsvHref(
  project: string,
  asked: { base: string; head: string; machine?: string; q?: string; kind?: string },
): string | null {
  return onServer(`/api/v1/projects/${project}/compare?${new URLSearchParams({ ...asked, format: "csv" })}`);
}

/** The profiles of a regression as a file for another program. */
export const profileHref = (project: string, regressionId: number, format: "folded" | "pprof" | "firefox") =>
  `/api/v1/projects/${project}/regressions/${regressionId}/profile?format=${format}`;

/** The sign-in page; no project can have this address. */
export const SIGN_IN_PATH = "/-/sign-in";

export const NEW_PROJECT_PATH = "/-/new-project";
export const toNewProject = () => linkOptions({ to: NEW_PROJECT_PATH });

export const toSignIn = (to: string) => linkOptions({ to: SIGN_IN_PATH, search: { to } });

/** Sign-in with GitHub, returning to a page. */
export const githubHref = (to: string): string => `/auth/github?to=${encodeURIComponent(to)}`;

/** A page of the documentation, by its path in `docs/`. */
export const docsHref = (path: string): string =>
  `https://github.com/roundtrip-ipc/roundtrip/blob/main/docs/${path}`;

/** The original file of an imported run. */
export const originalHref = (runId: string) => onServer(`/api/v1/runs/${encodeURIComponent(runId)}/original`);

export const reportHref = (runId: string) => onServer(`/api/v1/runs/${encodeURIComponent(runId)}/report`);
