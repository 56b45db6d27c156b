/** Every page of `src/app/router.tsx`, and what has to be seen on it. */
import type { Locator, Page } from "@playwright/test";
import type { Measured } from "./measured";

type Pictured = {
  name: string;
  at: (of: Measured) => string;
  /** What the page shows once it has loaded: the first row of a table, unless another thing is named. */
  shows?: (page: Page) => Locator;
  prepare?: (page: Page) => Promise<void>;
  isOnPhones?: true;
  isForStrangers?: true;
};

/** The first row of a table. */
export const row = (page: Page) => page.locator("main tbody tr").first();
const line = (page: Page) => page.locator("main svg.recharts-surface path.curve").first();
const chart = (page: Page) => page.locator("main svg.recharts-surface").first();

/** In the order of the docs. */
export const PAGES: Pictured[] = [
  { name: "projects", at: () => "/", shows: (page) => page.locator("main tbody tr").nth(1) },
  { name: "overview", at: ({ project }) => `/${project}`, isOnPhones: true },
  {
    name: "explore",
    at: ({ project }) => `/${project}/explore?q=scenario:roundtrip placement:same-cpu size:<=4k p50`,
    shows: (page) => row(page).getByRole("img"),
  },
  {
    name: "search",
    at: ({ project }) => `/${project}`,
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
    at: ({ project, series }) => `/${project}/series/${series}`,
    shows: line,
    isOnPhones: true,
  },
  {
    name: "compare",
    at: ({ project, before, culprit }) => `/${project}/compare?base=${before}&head=${culprit}`,
  },
  {
    name: "changes",
    at: ({ project }) => `/${project}/regressions`,
    shows: (page) => page.locator("main li, main tbody tr").first(),
  },
  {
    name: "change",
    at: ({ project, regression }) => `/${project}/regressions/${regression}`,
    isOnPhones: true,
  },
  { name: "sweep", at: ({ project }) => `/${project}/sweep`, shows: chart },
  { name: "topology", at: ({ project }) => `/${project}/topology`, shows: chart },
  { name: "sizes", at: ({ project }) => `/${project}/sizes`, shows: chart },
  {
    name: "reference",
    at: () => "/roundtrip/reference",
    // The charts are below the text.
    prepare: async (page) => {
      await chart(page).waitFor();
      await chart(page).scrollIntoViewIfNeeded();
    },
    shows: chart,
  },
  { name: "pull-requests", at: ({ project }) => `/${project}/pull-requests` },
  { name: "pull-request", at: ({ project, pullRequest }) => `/${project}/pull-requests/${pullRequest}` },
  {
    name: "machines",
    at: ({ project }) => `/${project}/machines`,
    shows: (page) => page.locator("main svg, main table").first(),
  },
  {
    name: "machine",
    at: ({ project, machine }) => `/${project}/machines/${machine}`,
    shows: chart,
    isOnPhones: true,
  },
  {
    name: "queue",
    at: ({ project }) => `/${project}/jobs`,
    shows: (page) => page.getByRole("heading", { name: "Queued" }),
  },
  {
    name: "measure",
    at: ({ project }) => `/${project}/measure`,
    shows: (page) => page.getByRole("form", { name: "New job" }),
  },
  { name: "runs", at: ({ project }) => `/${project}/runs` },
  { name: "run", at: ({ project, run }) => `/${project}/runs/${run}` },
  { name: "error-rates", at: ({ project }) => `/${project}/error-rates` },
  {
    name: "settings",
    at: ({ project }) => `/${project}/settings`,
    shows: (page) => page.getByRole("navigation", { name: "Settings" }),
  },
  {
    name: "new-project",
    at: () => "/-/new-project",
    shows: (page) => page.getByRole("form", { name: "New project" }),
  },
  {
    name: "sign-in",
    at: () => "/-/sign-in",
    shows: (page) => page.getByLabel("User token"),
    isForStrangers: true,
  },
];
