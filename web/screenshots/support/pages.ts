/** Every page of `src/app/router.tsx`, and the content that it must show. */
import type { Locator, Page } from "@playwright/test";
import type { Measured } from "./measured";

type PicturedPage = {
  name: string;
  address: (measured: Measured) => string;
  /** An element that the loaded page shows; by default the first row of a table. */
  shows?: (page: Page) => Locator;
  prepare?: (page: Page) => Promise<void>;
  isOnPhones?: true;
  isSignedOut?: true;
};

/** The first row of a table. */
export const row = (page: Page) => page.locator("main tbody tr").first();
const line = (page: Page) => page.locator("main svg.recharts-surface path.curve").first();
const chart = (page: Page) => page.locator("main svg.recharts-surface").first();

/** In the order of the docs. */
export const PAGES: PicturedPage[] = [
  { name: "projects", address: () => "/", shows: (page) => page.locator("main tbody tr").nth(1) },
  { name: "overview", address: ({ project }) => `/${project}`, isOnPhones: true },
  {
    name: "explore",
    address: ({ project }) => `/${project}/explore?q=scenario:roundtrip placement:same-cpu size:<=4k p50`,
    shows: (page) => row(page).getByRole("img", { name: /^Distribution/ }),
  },
  {
    name: "search",
    address: ({ project }) => `/${project}`,
    prepare: async (page) => {
      await row(page).waitFor();
      await page.keyboard.press("/");
      await page.getByRole("combobox", { name: "Search" }).fill("courier 1k");
    },
    shows: (page) =>
      page
        .getByRole("dialog", { name: "Search" })
        .getByRole("option", { name: /^courier, / })
        .first(),
  },
  {
    name: "series",
    address: ({ project, series }) => `/${project}/series/${series}`,
    shows: line,
    isOnPhones: true,
  },
  {
    name: "compare",
    address: ({ project, before, culprit }) => `/${project}/compare?base=${before}&head=${culprit}`,
  },
  { name: "commit", address: ({ project, culprit }) => `/${project}/commit/${culprit}` },
  {
    name: "regressions",
    address: ({ project }) => `/${project}/regressions`,
    shows: (page) => page.locator("main li, main tbody tr").first(),
  },
  {
    name: "regression",
    address: ({ project, regression }) => `/${project}/regressions/${regression}`,
    isOnPhones: true,
  },
  { name: "sweep", address: ({ project }) => `/${project}/sweep`, shows: chart },
  { name: "topology", address: ({ project }) => `/${project}/topology`, shows: chart },
  { name: "sizes", address: ({ project }) => `/${project}/sizes`, shows: chart },
  {
    name: "advisor",
    address: ({ project }) => `/${project}/advisor`,
    shows: (page) => page.locator("main svg, main table").first(),
  },
  {
    name: "reference",
    address: () => "/roundtrip/reference",
    // The charts are below the text.
    prepare: async (page) => {
      await chart(page).waitFor();
      await chart(page).scrollIntoViewIfNeeded();
    },
    shows: chart,
  },
  { name: "pull-requests", address: ({ project }) => `/${project}/pull-requests` },
  { name: "pull-request", address: ({ project, pullRequest }) => `/${project}/pull-requests/${pullRequest}` },
  {
    name: "machines",
    address: ({ project }) => `/${project}/machines`,
    shows: (page) => page.locator("main svg, main table").first(),
  },
  {
    name: "machine",
    address: ({ project, machine }) => `/${project}/machines/${machine}`,
    shows: chart,
    isOnPhones: true,
  },
  {
    name: "queue",
    address: ({ project }) => `/${project}/jobs`,
    shows: (page) => page.getByRole("heading", { name: "Queued" }),
  },
  {
    name: "measure",
    address: ({ project }) => `/${project}/measure`,
    shows: (page) => page.getByRole("form", { name: "New job" }),
  },
  { name: "runs", address: ({ project }) => `/${project}/runs` },
  { name: "run", address: ({ project, run }) => `/${project}/runs/${run}` },
  { name: "error-rates", address: ({ project }) => `/${project}/error-rates` },
  {
    name: "settings",
    address: ({ project }) => `/${project}/settings`,
    shows: (page) => page.getByRole("navigation", { name: "Settings" }),
  },
  {
    name: "new-project",
    address: () => "/-/new-project",
    shows: (page) => page.getByRole("form", { name: "New project" }),
  },
  {
    name: "sign-in",
    address: () => "/-/sign-in",
    shows: (page) => page.getByLabel("User token"),
    isSignedOut: true,
  },
];
