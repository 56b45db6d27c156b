/** The application on a static site: only files, and no page that needs a server. */
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { forgetFiles } from "@/site/files";
import { open } from "@/test/app";
import { host, siteOf } from "@/test/site";
import { mockApi } from "../../mock/handlers";

const MARK = '<meta name="roundtrip-site" content="https://pages.example.org/benchmarks/data/">';

let files: ReadonlyMap<string, unknown>;
let requests: string[];
const follow = vi.fn();

beforeAll(async () => {
  files = await siteOf(mockApi());
});
beforeEach(() => {
  document.head.insertAdjacentHTML("beforeend", MARK);
  // jsdom does not implement scrolling.
  window.scrollTo = () => {};
  Element.prototype.scrollIntoView = () => {};
  vi.stubGlobal("EventSource", follow);
  requests = host(files);
});
afterEach(() => {
  document.querySelector('meta[name="roundtrip-site"]')?.remove();
  window.history.replaceState({}, "", "/");
  vi.unstubAllGlobals();
  forgetFiles();
});

it("shows the overview from files, with links behind the fragment", async () => {
  await open("/benchmarks/#/libfoo");
  // The date follows the list of machines.
  const date = await screen.findByText(/^, \d+ \w+ \d{4}$/);
  expect(date.parentElement?.textContent).toMatch(/^Static site, /);
  expect(screen.queryByText("Sign in")).toBeNull();
  const table = await screen.findByRole("region", { name: "Recent runs, table" });
  const [link] = within(table).getAllByRole("link");
  expect(link?.getAttribute("href")).toMatch(/^\/benchmarks\/#\/libfoo\/runs\//);
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.filter((url) => !url.startsWith("https://pages.example.org/benchmarks/data/"))).toEqual([]);
  expect(follow).not.toHaveBeenCalled();
});

it("offers no page that needs a server", async () => {
  await open("/benchmarks/#/libfoo/error-rates");
  const pages = within(screen.getByRole("navigation", { name: "Pages" }));
  const names = pages.getAllByRole("link", { hidden: true }).map(({ textContent }) => textContent);
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
  await screen.findByRole("region", { name: "Regressions, table" });
  expect(screen.queryByText("Acknowledge")).toBeNull();
  expect(screen.queryByLabelText("Select all")).toBeNull();
});

it("says why a run has no page", async () => {
  const { world } = mockApi();
  await open(`/benchmarks/#/libfoo/runs/${world.runs.at(-1)?.run_id}`);
  await waitFor(() => expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Not in this site"));
  expect(screen.getByText("roundtrip-server import-site")).toBeTruthy();
});
