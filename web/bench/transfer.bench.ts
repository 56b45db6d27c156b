/** Transfer sizes: the scripts of the first pages, and the largest response on any page. */
import { type Browser, expect, test } from "@playwright/test";
import { record, remark } from "./support/figures";
import { type PageOf, stored } from "./support/stored";

const FIRST_PAGES = ["overview", "series"];
/** Responses that are listed individually. */
const LONG_BYTES = 200_000;
/** A page counts as complete after this time without network traffic. */
const QUIET_MS = 700;

/** A response with its transferred size. */
type PageResponse = { url: string; isScript: boolean; bytes: number };

test("transfer", async ({ browser, request, baseURL }) => {
  const { pages } = await stored(request);
  const all: (PageResponse & { page: string })[] = [];
  for (const page of pages) {
    const responses = await responsesOf(browser, page);
    const bytes = responses.map((response) => response.bytes);
    const scripts = responses.filter(({ isScript }) => isScript).map((response) => response.bytes);
    all.push(...responses.map((response) => ({ ...response, page: page.name })));
    if (FIRST_PAGES.includes(page.name)) {
      const peer = { name: "all responses of the page", values: [sum(bytes)] };
      record({ key: "scripts", variant: page.name, values: [sum(scripts)], peer });
    }
    remark(`${page.name}: ${kib(sum(scripts))} of scripts, ${kib(sum(bytes))} in ${bytes.length} responses`);
  }
  const sorted = all.sort((one, other) => other.bytes - one.bytes);
  const path = (url: string) => url.replace(baseURL ?? "", "");
  for (const { page, url, bytes } of sorted.filter(
    (response, index) => index === 0 || response.bytes > LONG_BYTES,
  )) {
    remark(`${kib(bytes)} on ${page}: ${path(url).slice(0, 160)}`);
  }
  const peer = { name: "the median response", values: sorted.map(({ bytes }) => bytes) };
  record({
    key: "largest-response",
    variant: `${pages.length} pages`,
    values: [sorted[0]?.bytes ?? 0],
    peer,
  });
});

/** Returns all responses that a page fetches on a first visit. */
async function responsesOf(browser: Browser, { address }: PageOf): Promise<PageResponse[]> {
  const page = await browser.newPage();
  // The budgets are for gzip, which every proxy supports. Browsers that accept brotli receive less.
  await page.setExtraHTTPHeaders({ "accept-encoding": "gzip" });
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const responses = new Map<string, PageResponse>();
  let last = Date.now();
  network.on("Network.responseReceived", ({ requestId, type, response }) => {
    last = Date.now();
    if (response.url.startsWith("http")) {
      responses.set(requestId, { url: response.url, isScript: type === "Script", bytes: 0 });
    }
  });
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    last = Date.now();
    const response = responses.get(requestId);
    if (response !== undefined) response.bytes = encodedDataLength;
  });
  await page.goto(address);
  await expect(page.locator("main h1")).toBeVisible();
  await expect.poll(() => Date.now() - last, { timeout: 60_000 }).toBeGreaterThan(QUIET_MS);
  const alert = page.locator("main [role=alert]");
  if ((await alert.count()) > 0)
    remark(`${address} shows: ${(await alert.first().innerText()).replaceAll("\n", " ")}`);
  await page.context().close();
  return [...responses.values()];
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
