/** The application on a static site: only files, and no page that needs a server. */
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { forgetFiles } from "@/site/files";
import { open } from "@/test/app";
import { withLayout } from "@/test/layout";
import { host, siteOf } from "@/test/site";
import { mockApi } from "../../mock/handlers";

const MARK = '<meta name="roundtrip-site" content="https://pages.example.org/benchmarks/data/">';

let files: ReadonlyMap<string, unknown>;
let requests: string[];
const follow = vi.fn();

withLayout(720, 300);
beforeAll(async () => {
  files = await siteOf(mockApi());
});
beforeEach(() => {
  document.head.insertAdjacentHTML("beforeend", MARK);
  vi.stubGlobal("EventSource", follow);
  requests = host(files);
});
afterEach(() => {
  document.querySelector('meta[name="roundtrip-site"]')?.remove();
  window.history.replaceState({}, "", "/");
  forgetFiles();
});

it("shows the overview from files, with links behind the fragment", async () => {
  await open("/benchmarks/#/libfoo");
  // The date follows the list of machines.
  const date = await screen.findByText(/^, \d+ \w+ \d{4}$/);
  expect(date.parentElement?.textContent).toMatch(/^Static site, /);
  expect(screen.queryByText("Sign in")).toBeNull();
  const table = await screen.findByRole("region", { name: "Transports, table" });
  const [link] = within(table).getAllByRole("link");
  expect(link?.getAttribute("href")).toMatch(/^\/benchmarks\/#\/libfoo\/series\//);
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.filter((url) => !url.startsWith("https://pages.example.org/benchmarks/data/"))).toEqual([]);
  expect(follow).not.toHaveBeenCalled();
});

it("offers no page that needs a server", async () => {
  await open("/benchmarks/#/libfoo/error-rates");
  const [header] = screen.getAllByRole("banner");
  const names = within(header as HTMLElement)
    .getAllByRole("link", { hidden: true })
    .map(({ textContent }) => textContent);
  expect(names).toContain("Badges and feeds");
  for (const name of ["Queue", "Advisor", "Settings"]) expect(names).not.toContain(name);
});

it.each([
  "/-/sign-in",
  "/-/new-project",
  "/libfoo/jobs",
  "/libfoo/jobs/1",
  "/libfoo/measure",
  "/libfoo/advisor",
])("does not find %s", async (path) => {
  await open(`/benchmarks/#${path}`);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Page not found");
});

it("links to badges and feeds next to its page", async () => {
  await open("/benchmarks/#/libfoo/settings");
  const root = `${window.location.origin}/benchmarks`;
  await screen.findByText(`${root}/libfoo/regressions.atom`);
  const badge = screen.getByAltText("Regressions of libfoo");
  expect(badge.getAttribute("src")).toBe(`${root}/badges/libfoo.svg`);
  expect(screen.getByText(/^\[!/).textContent).toContain(`(${root}/#/libfoo/regressions)`);
});

it("judges machines at the time of the data", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2036-01-01") });
  try {
    await open("/benchmarks/#/libfoo/machines");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toMatch(/^1 of 2 machines/);
    expect(screen.queryByText(/overdue/)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it("shows changes without triage", async () => {
  await open("/benchmarks/#/libfoo/regressions");
  await screen.findByRole("list", { name: "Regressions" });
  expect(screen.queryByText("Acknowledge")).toBeNull();
  expect(screen.queryByLabelText("Select all")).toBeNull();
});

it("shows a commit without jobs and notes", async () => {
  const { world } = mockApi();
  const [before, commit] = world.commits.slice(-2);
  await open(`/benchmarks/#/libfoo/commit/${commit?.sha.slice(0, 7)}`);
  expect(screen.getByRole("link", { name: `Previous ${before?.sha.slice(0, 7)}` })).toBeTruthy();
  expect(await screen.findByRole("region", { name: "Runs, table" })).toBeTruthy();
  expect(screen.getByText("Inconclusive", { selector: "strong" })).toBeTruthy();
  for (const name of ["Jobs", "Notes", "Run 14 more pairs"]) expect(screen.queryByText(name)).toBeNull();
});

it("pins the point of a run without details", async () => {
  const { world } = mockApi();
  const run = world.runs.findLast(
    ({ machine, pull_request }) => machine === "lab-linux-1" && pull_request === null,
  );
  await open(`/benchmarks/#/libfoo/series/1?run=${run?.run_id}`);
  const pinned = await screen.findByRole("complementary", { name: "Pinned point" });
  expect(await within(pinned).findByText(run?.commit.subject ?? "")).toBeTruthy();
});

it("opens links of an embedded chart in a new tab, without the chart's parameter", async () => {
  const opened = vi.spyOn(window, "open").mockReturnValue(null);
  await open("/benchmarks/#/libfoo/error-rates?embed=none");
  const frame = document.querySelector(".embedding");
  for (const href of ["https://docs.example.org/page?embed=x#part", "/benchmarks/#/libfoo?embed=none#runs"]) {
    const link = Object.assign(document.createElement("a"), { href });
    frame?.append(link);
    link.click();
  }
  const root = `${window.location.origin}/benchmarks/`;
  expect(opened.mock.calls.map(([address]) => address)).toEqual([
    "https://docs.example.org/page?embed=x#part",
    `${root}#/libfoo#runs`,
  ]);
});

it("copies the code of a chart without the fragment of the page", async () => {
  const user = userEvent.setup();
  await open("/benchmarks/#/libfoo/series/1#part");
  const [button] = await screen.findAllByRole("button", { name: "Embed" });
  await user.click(button as HTMLElement);
  const code = await navigator.clipboard.readText();
  expect(code).toContain(`src="${window.location.origin}/benchmarks/#/libfoo/series/1?embed=`);
  expect(code).not.toContain("part");
});

it("explains why a run has no page", async () => {
  const { world } = mockApi();
  await open(`/benchmarks/#/libfoo/runs/${world.runs.at(-1)?.run_id}`);
  await waitFor(() => expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Not in this site"));
  expect(screen.getByText("roundtrip-server import-site")).toBeTruthy();
});
