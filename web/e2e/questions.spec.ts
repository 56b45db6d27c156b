/** Ten questions of a newcomer, each answered in at most three clicks from the overview. */
import type { Locator, Page } from "@playwright/test";
import { EQUAL_WITHIN } from "../src/lib/fastest";
import { formatNs } from "../src/lib/units";
import { ask, enrol } from "./support/account";
import { ERROR_RATES, RATES } from "./support/errorRates";
import { withRegressions } from "./support/regressions";
import {
  asAnotherRun,
  childOf,
  measuredResults,
  P50,
  quantile,
  type Report,
  readReport,
  samplesOf,
  USUAL_CASES,
} from "./support/report";
import { expect, rowNamed, test } from "./support/test";

const CLICKS_MAX = 3;
const PROJECT = "questions";
const QUEUED = "7".repeat(40);

const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const region = (page: Page, name: string | RegExp) => page.getByRole("region", { name }).first();
const worst = (page: Page) =>
  region(page, /^Regressions$/)
    .getByRole("link", { name: "+20 %" })
    .first();
const header = (page: Page, name: string) => page.getByRole("banner").getByText(name, { exact: true });

type Question = {
  question: string;
  /** Clicks on elements; texts are typed. */
  steps?: (page: Page) => (Locator | string)[];
  answer: (page: Page) => Locator;
  says: RegExp | (() => RegExp);
};

const QUESTIONS: Question[] = [
  {
    question: "Which transport is fastest at 64 B on this machine?",
    answer: (page) => region(page, "Latency by message size").locator(".ranking"),
    says: fastestAt64,
  },
  {
    question: "Which commit made it slower, and why?",
    steps: (page) => [worst(page)],
    answer: (page) => page.getByRole("main"),
    says: /since bbbbbbb “Copy twice”.+\+1\.00 sendmsg per round trip/,
  },
  {
    question: "Is it the machine?",
    steps: (page) => [worst(page)],
    answer: (page) => region(page, "Checks"),
    says: /Canaries.*1 of 1 unchanged/s,
  },
  {
    question: "Who works on the regressions?",
    steps: (page) => [header(page, "Regressions")],
    answer: (page) => page.getByRole("list", { name: "Regressions" }),
    says: /acknowledged, ada/,
  },
  {
    question: "How small a change does this machine detect?",
    steps: (page) => [page.getByRole("rowheader", { name: readReport().machine.slug }).getByRole("link")],
    answer: (page) => page.getByRole("heading", { name: /^Detects/ }),
    says: /^Detects ≥ [\d.]+.%$/,
  },
  {
    question: "What changed between the newest two commits?",
    steps: (page) => [header(page, "Compare")],
    answer: heading,
    says: /ring-futex.* slower/,
  },
  {
    question: "How did the p99 of pipes at 4 KiB develop?",
    steps: (page) => [
      page.getByRole("button", { name: "Search", exact: true }),
      "p99 pipe 4k",
      page.getByRole("option", { name: /^pipe, / }).first(),
    ],
    answer: (page) => page.getByRole("slider", { name: /^Latency by commits/ }),
    says: /p99/,
  },
  {
    question: "Which transport fits my message sizes?",
    steps: (page) => [header(page, "Choose"), page.getByRole("link", { name: "Advisor" })],
    answer: heading,
    says: /: median round trip [\d.]+\s.s, p99 /,
  },
  {
    question: "What is queued?",
    steps: (page) => [header(page, "Lab"), page.getByRole("link", { name: "Queue", exact: true })],
    answer: (page) => region(page, /^Queued$/),
    says: new RegExp(QUEUED.slice(0, 7)),
  },
  {
    question: "How often are verdicts wrong?",
    steps: (page) => [page.getByRole("main").getByRole("link", { name: "Error rates" })],
    answer: (page) => region(page, "Change points"),
    says: /1 in /,
  },
];

/** A transport that is fastest at 64 B in the newest report, or tied with it, and its time. */
function fastestAt64(): RegExp {
  const [, newest] = reports();
  const medians = measuredResults(newest, { ...USUAL_CASES, message_bytes: 64 }).map((result) => ({
    slug: result.transport.slug,
    p50: quantile(samplesOf(result), P50),
  }));
  const least = Math.min(...medians.map(({ p50 }) => p50));
  const answers = medians
    .filter(({ p50 }) => p50 <= least * (1 + EQUAL_WITHIN))
    .map(({ slug, p50 }) => `${slug} is fastest(,| at all sizes:) ${formatNs(p50)} at 64 B`);
  return new RegExp(answers.join("|").replaceAll(" ", "\\s"));
}

/** Two commits; in the second, `ring-futex` takes as long as `tcp` did. Transports of the kernel are controls. */
function reports(): [base: Report, head: Report] {
  const report = readReport();
  const results = measuredResults(report, USUAL_CASES);
  const timesOf = (kase: Report["results"][number]["case"]) =>
    results.find(
      ({ transport, case: other }) => transport.slug === "tcp" && other.message_bytes === kase.message_bytes,
    );
  const slower = results.map((result) =>
    result.transport.slug === "ring-futex"
      ? { ...result, repetitions: timesOf(result.case)?.repetitions ?? [] }
      : result,
  );
  const base = { ...asAnotherRun(report), project: PROJECT, results };
  return [base, childOf(base, { ...asAnotherRun(report), project: PROJECT, results: slower }, "Use TCP")];
}

test.beforeAll(async ({ request }) => {
  for (const report of reports()) await ask(request, "PUT", `/api/v1/runs/${report.run_id}`, report);
  await ask(request, "PATCH", `/api/v1/projects/${PROJECT}`, { visibility: "public" });
  await enrol(request, PROJECT, "questions-1");
  await ask(request, "POST", `/api/v1/projects/${PROJECT}/jobs`, { commits: [QUEUED] });
});

test.afterAll(async ({ request }) => {
  await ask(request, "DELETE", `/api/v1/projects/${PROJECT}`);
});

for (const { question, steps = () => [], answer, says } of QUESTIONS) {
  test(question, async ({ page }) => {
    await withRegressions(page);
    await page.route(ERROR_RATES, (route) => route.fulfill({ json: RATES }));
    await page.goto(`/${PROJECT}`);
    await expect(rowNamed(page, "pipe")).toBeVisible();
    let clicks = 0;
    for (const step of steps(page)) {
      if (typeof step === "string") {
        await page.keyboard.type(step);
      } else {
        await step.click();
        clicks += 1;
      }
    }
    expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
    await expect(answer(page)).toContainText(typeof says === "function" ? says() : says);
  });
}
