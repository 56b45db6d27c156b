/** What pages fetch: the scripts that each begins with, and the longest answer on a walk over all. */
import { type Browser, expect, test } from "@playwright/test";
import { keep, remark } from "./support/figures";
import { type PageOf, stored } from "./support/stored";

const FIRST_PAGES = ["overview", "series"];
/** Responses that are listed individually. */
const LONG_BYTES = 200_000;
/** How long nothing must come in until a page is taken for complete. */
const QUIET_MS = 700;

/** One answer, as many bytes as came over the network. */
type Answer = { url: string; isScript: boolean; bytes: number };

test("transfer", async ({ browser, request, baseURL }) => {
  const { pages } = await stored(request);
  const all: (Answer & { page: string })[] = [];
  for (const page of pages) {
    const answers = await answersOf(browser, page);
    const bytes = answers.map((answer) => answer.bytes);
    const scripts = answers.filter(({ isScript }) => isScript).map((answer) => answer.bytes);
    all.push(...answers.map((answer) => ({ ...answer, page: page.name })));
    if (FIRST_PAGES.includes(page.name)) {
      const peer = { name: "all that the page fetches", values: [sum(bytes)] };
      keep({ key: "scripts", of: page.name, values: [sum(scripts)], peer });
    }
    remark(`${page.name}: ${kib(sum(scripts))} of scripts, ${kib(sum(bytes))} in ${bytes.length} answers`);
  }
  const sorted = all.sort((one, other) => other.bytes - one.bytes);
  const path = (url: string) => url.replace(baseURL ?? "", "");
  for (const { page, url, bytes } of sorted.filter(
    (answer, index) => index === 0 || answer.bytes > LONG_BYTES,
  )) {
    remark(`${kib(bytes)} at once on ${page}: ${path(url).slice(0, 160)}`);
  }
  const peer = { name: "the median answer", values: sorted.map(({ bytes }) => bytes) };
  keep({ key: "longest-answer", of: `${pages.length} pages`, values: [sorted[0]?.bytes ?? 0], peer });
});

/** All that a page fetches on a first visit. */
async function answersOf(browser: Browser, { address }: PageOf): Promise<Answer[]> {
  const page = await browser.newPage();
  // The budgets are of gzip, which everything in between takes; browsers are sent less where they take brotli.
  await page.setExtraHTTPHeaders({ "accept-encoding": "gzip" });
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const answers = new Map<string, Answer>();
  let last = Date.now();
  network.on("Network.responseReceived", ({ requestId, type, response }) => {
    last = Date.now();
    if (response.url.startsWith("http")) {
      answers.set(requestId, { url: response.url, isScript: type === "Script", bytes: 0 });
    }
  });
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    last = Date.now();
    const answer = answers.get(requestId);
    if (answer !== undefined) answer.bytes = encodedDataLength;
  });
  await page.goto(address);
  await expect(page.locator("main h1")).toBeVisible();
  await expect.poll(() => Date.now() - last, { timeout: 60_000 }).toBeGreaterThan(QUIET_MS);
  const alert = page.locator("main [role=alert]");
  if ((await alert.count()) > 0)
    remark(`${address} says: ${(await alert.first().innerText()).replaceAll("\n", " ")}`);
  await page.context().close();
  return [...answers.values()];
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
