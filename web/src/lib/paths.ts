/** Every link of the product as a function, so that a page's address is written once. */
import { linkOptions } from "@tanstack/react-router";

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

/** The sign-in page: no project can have this address. */
export const SIGN_IN_PATH = "/-/sign-in";

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
