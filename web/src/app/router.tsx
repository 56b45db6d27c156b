/** All pages: addresses, query parameters and required data. Each page is loaded on demand. */
import type { EnsureQueryDataOptions, QueryClient } from "@tanstack/react-query";
import {
  createHashHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from "@tanstack/react-router";
import { errorOfUnknown } from "@/api/errors";
import { placeQuery } from "@/api/place";
import {
  agentsQuery,
  canariesQuery,
  changePointsQuery,
  environmentsQuery,
  errorRatesQuery,
  facetsQuery,
  jobQuery,
  jobsQuery,
  lineQuery,
  machineHistoryQuery,
  machinesQuery,
  pointsQuery,
  profileQuery,
  projectQuery,
  projectsQuery,
  pullRequestsQuery,
  referencesQuery,
  regressionQuery,
  runQuery,
  runsQuery,
  seriesQuery,
  sessionQuery,
  sizeProfilesQuery,
  suspicionsQuery,
  sweepQuery,
  workedQuery,
} from "@/api/queries";
import { parseFrameSearch } from "@/components/chart/useFrame";
import { PageSkeleton } from "@/components/ui/states";
import { parseAdvisorSearch } from "@/features/advisor/search";
import { loadCommit } from "@/features/commit/load";
import { loadCompare } from "@/features/compare/load";
import { parseCompareSearch } from "@/features/compare/search";
import { parseExploreSearch } from "@/features/explore/search";
import { parseQueueSearch } from "@/features/jobs/search";
import { parseMachineSearch, REACHES } from "@/features/machines/search";
import { loadOverview } from "@/features/overview/load";
import { parseOverviewSearch } from "@/features/overview/search";
import { parseProfileSearch } from "@/features/profile/search";
import { loadPullRequest, numberOf, parsePullRequestsSearch } from "@/features/pull-requests/load";
import { parseReferenceSearch, parseWorkedSearch } from "@/features/reference/search";
import { loadInbox, loadRegressionPage } from "@/features/regressions/load";
import { parseInboxSearch, parseRegressionSearch } from "@/features/regressions/search";
import { parseRunSearch, parseRunsSearch } from "@/features/runs/search";
import { overviewAsked, parseSeriesSearch, seriesOf } from "@/features/series/search";
import { parseSignInSearch } from "@/features/session/search";
import { parseSettingsSearch } from "@/features/settings/search";
import { parseSizesSearch } from "@/features/sizes/search";
import { askedSweep, parseSweepSearch, parseTopologySearch, placeAsked } from "@/features/sweep/search";
import { parseMeasureSearch } from "@/lib/measure";
import { NEW_PROJECT_PATH, SIGN_IN_PATH, toOverview, toSignIn } from "@/lib/paths";
import { FINISHED, OPEN } from "@/lib/queue";
import { present } from "@/lib/search";
import { isSite } from "@/lib/site";
import { ErrorPage, NotFoundPage } from "./ErrorPages";
import { Layout } from "./Layout";

type Context = { queryClient: QueryClient };

/** Loads the required data of a page. */
const waitFor = ({ queryClient }: Context, ...queries: { queryKey: readonly unknown[] }[]) =>
  Promise.all(queries.map((query) => queryClient.ensureQueryData(query as EnsureQueryDataOptions<unknown>)));

/** For pages that need a server. */
const onServer = {
  beforeLoad: () => {
    if (isSite()) throw notFound();
  },
};

const rootRoute = createRootRouteWithContext<Context>()({
  validateSearch: parseFrameSearch,
  component: Layout,
  notFoundComponent: NotFoundPage,
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  loader: async ({ context }) => {
    const projects = await context.queryClient.fetchQuery(projectsQuery);
    const [only] = projects;
    if (only !== undefined && projects.length === 1) {
      throw redirect({ ...toOverview(only.project), replace: true });
    }
    if (only === undefined) {
      const { account, is_private } = await context.queryClient.ensureQueryData(sessionQuery);
      if (account === null && is_private && !isSite()) throw redirect({ ...toSignIn("/"), replace: true });
    }
  },
  component: lazyRouteComponent(() => import("@/features/overview/ProjectsPage"), "ProjectsPage"),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: SIGN_IN_PATH,
  ...onServer,
  validateSearch: parseSignInSearch,
  loader: ({ context }) => waitFor(context, sessionQuery),
  component: lazyRouteComponent(() => import("@/features/session/SignInPage"), "SignInPage"),
});

const newProjectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: NEW_PROJECT_PATH,
  ...onServer,
  loader: ({ context }) => waitFor(context, sessionQuery),
  component: lazyRouteComponent(() => import("@/features/settings/NewProjectPage"), "NewProjectPage"),
});

const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/$project",
  loader: ({ context, params }) => waitFor(context, projectQuery(params.project)),
});

const inProject = <const Path extends string>(path: Path) => ({ getParentRoute: () => projectRoute, path });

const overviewRoute = createRoute({
  ...inProject("/"),
  validateSearch: parseOverviewSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    loadOverview(context.queryClient, params.project, parseOverviewSearch(deps)),
  component: lazyRouteComponent(() => import("@/features/overview/OverviewPage"), "OverviewPage"),
});

const runsRoute = createRoute({
  ...inProject("/runs"),
  validateSearch: parseRunsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params: { project }, deps }) =>
    waitFor(context, runsQuery(project, deps), machinesQuery(project)),
  component: lazyRouteComponent(() => import("@/features/runs/RunsPage"), "RunsPage"),
});

const runRoute = createRoute({
  ...inProject("/runs/$runId"),
  validateSearch: parseRunSearch,
  loader: ({ context, params }) => waitFor(context, runQuery(params.runId)),
  component: lazyRouteComponent(() => import("@/features/runs/RunPage"), "RunPage"),
});

const errorRatesRoute = createRoute({
  ...inProject("/error-rates"),
  loader: ({ context, params }) => waitFor(context, errorRatesQuery(params.project)),
  component: lazyRouteComponent(() => import("@/features/error-rates/ErrorRatesPage"), "ErrorRatesPage"),
});

const inboxRoute = createRoute({
  ...inProject("/regressions"),
  validateSearch: parseInboxSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params: { project }, deps }) =>
    Promise.all([
      loadInbox(context.queryClient, project, deps),
      waitFor(context, suspicionsQuery(project, { state: "waiting" })),
    ]),
  component: lazyRouteComponent(() => import("@/features/regressions/InboxPage"), "InboxPage"),
});

const regressionRoute = createRoute({
  ...inProject("/regressions/$regressionId"),
  validateSearch: parseRegressionSearch,
  // Drafts, notices and folds belong to one regression.
  remountDeps: ({ params }) => params,
  loader: ({ context, params: { project, regressionId } }) =>
    loadRegressionPage(context.queryClient, project, Number(regressionId)),
  component: lazyRouteComponent(() => import("@/features/regressions/RegressionPage"), "RegressionPage"),
});

const profileRoute = createRoute({
  ...inProject("/regressions/$regressionId/profile"),
  validateSearch: parseProfileSearch,
  loader: ({ context, params: { project, regressionId } }) =>
    waitFor(
      context,
      regressionQuery(project, Number(regressionId)),
      profileQuery(project, Number(regressionId)),
    ),
  component: lazyRouteComponent(() => import("@/features/profile/ProfilePage"), "ProfilePage"),
});

const seriesRoute = createRoute({
  ...inProject("/series/$seriesId"),
  validateSearch: parseSeriesSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, params, deps }) => {
    const seriesId = Number(params.seriesId);
    void queryClient.prefetchQuery(changePointsQuery([seriesId]));
    const [series] = await Promise.all([
      queryClient.ensureQueryData(seriesQuery(seriesId)),
      queryClient.ensureQueryData(lineQuery(seriesOf(seriesId, deps), overviewAsked(deps))),
    ]);
    if (series.methodology.statistic != null) {
      await queryClient.ensureQueryData(pointsQuery([seriesId]));
    }
  },
  component: lazyRouteComponent(() => import("@/features/series/SeriesPage"), "SeriesPage"),
});

const exploreRoute = createRoute({
  ...inProject("/explore"),
  validateSearch: parseExploreSearch,
  loader: ({ context, params: { project } }) =>
    waitFor(context, facetsQuery(project, {}), machinesQuery(project)),
  component: lazyRouteComponent(() => import("@/features/explore/ExplorePage"), "ExplorePage"),
});

const compareRoute = createRoute({
  ...inProject("/compare"),
  validateSearch: parseCompareSearch,
  loaderDeps: ({ search: { base, head, machine } }) => present({ base, head, machine }),
  loader: ({ context, params, deps }) => loadCompare(context.queryClient, params.project, deps),
  component: lazyRouteComponent(() => import("@/features/compare/ComparePage"), "ComparePage"),
});

const commitRoute = createRoute({
  ...inProject("/commit/$sha"),
  loader: ({ context, params: { project, sha } }) => loadCommit(context.queryClient, project, sha),
  component: lazyRouteComponent(() => import("@/features/commit/CommitPage"), "CommitPage"),
});

const sweepRoute = createRoute({
  ...inProject("/sweep"),
  validateSearch: parseSweepSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, params: { project }, deps }) => {
    const place = await queryClient.ensureQueryData(placeQuery(project, placeAsked(deps)));
    if (place !== null) await queryClient.ensureQueryData(sweepQuery(project, askedSweep(place, deps)));
  },
  component: lazyRouteComponent(() => import("@/features/sweep/SweepPage"), "SweepPage"),
});

const topologyRoute = createRoute({
  ...inProject("/topology"),
  validateSearch: parseTopologySearch,
  loaderDeps: ({ search: { machine, mode, placement } }) => ({ machine, mode, placement }),
  loader: async ({ context, params: { project }, location }) => {
    const { loadTopology } = await import("@/features/sweep/load");
    await loadTopology(context.queryClient, project, parseTopologySearch(location.search));
  },
  component: lazyRouteComponent(() => import("@/features/sweep/TopologyPage"), "TopologyPage"),
});

const sizesRoute = createRoute({
  ...inProject("/sizes"),
  validateSearch: parseSizesSearch,
  loaderDeps: ({ search: { machine, mode, placement } }) => ({ machine, mode, placement }),
  loader: ({ context, params: { project }, deps }) =>
    waitFor(context, sizeProfilesQuery, placeQuery(project, deps, ["roundtrip"])),
  component: lazyRouteComponent(() => import("@/features/sizes/SizesPage"), "SizesPage"),
});

const advisorRoute = createRoute({
  ...inProject("/advisor"),
  ...onServer,
  validateSearch: parseAdvisorSearch,
  // The page itself asks again while sizes are dragged.
  shouldReload: false,
  loader: async ({ context, params: { project }, location }) => {
    const { loadAdvisor } = await import("@/features/advisor/load");
    await loadAdvisor(context.queryClient, project, parseAdvisorSearch(location.search));
  },
  component: lazyRouteComponent(() => import("@/features/advisor/AdvisorPage"), "AdvisorPage"),
});

const referenceRoute = createRoute({
  ...inProject("/reference"),
  validateSearch: parseReferenceSearch,
  loader: ({ context, params: { project } }) => waitFor(context, referencesQuery, machinesQuery(project)),
  component: lazyRouteComponent(() => import("@/features/reference/ReferencePage"), "ReferencePage"),
});

const workedRoute = createRoute({
  ...inProject("/reference/$reference"),
  validateSearch: parseWorkedSearch,
  loader: ({ context, params: { project, reference } }) =>
    waitFor(context, workedQuery(project, reference), referencesQuery),
  component: lazyRouteComponent(() => import("@/features/reference/WorkedPage"), "WorkedPage"),
});

const machinesRoute = createRoute({
  ...inProject("/machines"),
  loader: async ({ context, params: { project } }) => {
    const { queryClient } = context;
    const [machines] = await Promise.all([
      queryClient.ensureQueryData(machinesQuery(project)),
      waitFor(context, agentsQuery(project), sessionQuery, runsQuery(project, {})),
    ]);
    await Promise.all(
      machines.flatMap(({ machine }) => [
        queryClient.prefetchQuery(canariesQuery(project, machine)),
        queryClient.prefetchQuery(machineHistoryQuery(project, machine)),
      ]),
    );
  },
  component: lazyRouteComponent(() => import("@/features/machines/MachinesPage"), "MachinesPage"),
});

const machineRoute = createRoute({
  ...inProject("/machines/$machine"),
  validateSearch: parseMachineSearch,
  loader: async ({ context, params: { project, machine }, location }) => {
    const { last = REACHES[0] } = parseMachineSearch(location.search);
    const machines = await context.queryClient.ensureQueryData(machinesQuery(project));
    if (!machines.some((entry) => entry.machine === machine)) {
      throw errorOfUnknown(`${project} has no machine ${machine}.`);
    }
    const { queryClient } = context;
    await Promise.all([
      waitFor(context, runsQuery(project, { machine }), agentsQuery(project), sessionQuery),
      queryClient.prefetchQuery(canariesQuery(project, machine, last)),
      queryClient.prefetchQuery(environmentsQuery(project, machine)),
      queryClient.prefetchQuery(machineHistoryQuery(project, machine)),
    ]);
  },
  component: lazyRouteComponent(() => import("@/features/machines/MachinePage"), "MachinePage"),
});

const queueRoute = createRoute({
  ...inProject("/jobs"),
  ...onServer,
  validateSearch: parseQueueSearch,
  loaderDeps: ({ search: { after } }) => present({ after }),
  loader: ({ context, params: { project }, deps }) =>
    waitFor(
      context,
      jobsQuery(project, OPEN),
      jobsQuery(project, { ...FINISHED, ...deps }),
      agentsQuery(project),
      sessionQuery,
    ),
  component: lazyRouteComponent(() => import("@/features/jobs/QueuePage"), "QueuePage"),
});

const jobRoute = createRoute({
  ...inProject("/jobs/$jobId"),
  ...onServer,
  loader: ({ context, params: { project, jobId } }) =>
    waitFor(context, jobQuery(project, Number(jobId)), agentsQuery(project), sessionQuery),
  component: lazyRouteComponent(() => import("@/features/jobs/JobPage"), "JobPage"),
});

const measureRoute = createRoute({
  ...inProject("/measure"),
  ...onServer,
  validateSearch: parseMeasureSearch,
  loader: ({ context, params: { project } }) =>
    waitFor(context, projectQuery(project), agentsQuery(project), sessionQuery),
  component: lazyRouteComponent(() => import("@/features/jobs/MeasurePage"), "MeasurePage"),
});

const pullRequestsRoute = createRoute({
  ...inProject("/pull-requests"),
  validateSearch: parsePullRequestsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    waitFor(context, pullRequestsQuery(params.project, parsePullRequestsSearch(deps))),
  component: lazyRouteComponent(
    () => import("@/features/pull-requests/PullRequestsPage"),
    "PullRequestsPage",
  ),
});

const pullRequestRoute = createRoute({
  ...inProject("/pull-requests/$pullRequest"),
  validateSearch: parsePullRequestsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    const number = numberOf(params.pullRequest);
    if (number === null) throw notFound();
    return loadPullRequest(context.queryClient, params.project, number, deps);
  },
  component: lazyRouteComponent(() => import("@/features/pull-requests/PullRequestPage"), "PullRequestPage"),
});

const settingsRoute = createRoute({
  ...inProject("/settings"),
  validateSearch: parseSettingsSearch,
  loader: ({ context }) => waitFor(context, sessionQuery),
  component: lazyRouteComponent(() => import("@/features/settings/SettingsPage"), "SettingsPage"),
});

const developmentRoutes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: "/dev/kit",
        component: lazyRouteComponent(() => import("./kit/KitPage"), "KitPage"),
      }),
    ]
  : [];

const routeTree = rootRoute.addChildren([
  homeRoute,
  ...developmentRoutes,
  signInRoute,
  newProjectRoute,
  projectRoute.addChildren([
    overviewRoute,
    runsRoute,
    runRoute,
    errorRatesRoute,
    inboxRoute,
    regressionRoute,
    profileRoute,
    seriesRoute,
    exploreRoute,
    compareRoute,
    commitRoute,
    sweepRoute,
    topologyRoute,
    sizesRoute,
    advisorRoute,
    referenceRoute,
    workedRoute,
    machinesRoute,
    machineRoute,
    queueRoute,
    jobRoute,
    measureRoute,
    pullRequestsRoute,
    pullRequestRoute,
    settingsRoute,
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    // The host of a static site knows only its files.
    ...(isSite() && { history: createHashHistory() }),
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    defaultPendingComponent: PageSkeleton,
    // Pages that take longer show placeholders.
    defaultPendingMs: 200,
    // The query cache decides which data is fresh.
    defaultPreloadStaleTime: 0,
    defaultPreload: "intent",
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
