/** Pages show each kind of change, with the data of the mock. */
import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { shortSha } from "@/lib/commits";
import { open, withoutEvents } from "@/test/app";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";
import { World } from "../../mock/world/world";

mockServer();

const world = new World();
const drift = world.regressions.find(({ kind }) => kind === "drift");
const [after, until] = [drift?.after_commit.sha ?? "", drift?.until_commit.sha ?? ""].map(shortSha);
const WORDS = `Drift of +6.1 % since ${after}`;

withLayout(720, 300);
withoutEvents();

it("the inbox has the words of a drift, and its range instead of suspects", async () => {
  await open("/libfoo/regressions");
  const row = (await screen.findByRole("link", { name: WORDS })).closest("li") as HTMLElement;
  expect(row.textContent).toContain(`No single commit: ${after}..${until} (15 commits)`);
});

it("the page of a drift has its range, and no table of suspects", async () => {
  await open(`/libfoo/regressions/${drift?.regression_id}`);
  expect(await screen.findByRole("heading", { level: 1, name: WORDS })).toBeTruthy();
  const suspects = screen.getByRole("region", { name: "Suspect commits" });
  expect(suspects.textContent).toContain(
    `No single commit: small changes add up between ${after} and ${until}.`,
  );
  expect(within(suspects).queryByRole("table")).toBeNull();
  expect(screen.queryByText(/Bisection/)).toBeNull();
  expect(screen.queryByRole("columnheader", { name: "First measured" })).toBeNull();
});

it("the page of a step still has its suspects", async () => {
  await open("/libfoo/regressions/1");
  expect(await screen.findByRole("columnheader", { name: "Probability" })).toBeTruthy();
});

it("the overview has the words of a drift in its headline and its table", async () => {
  await open("/libfoo");
  const heading = await screen.findByRole("heading", { level: 1, name: /slower/ });
  expect(heading.textContent).toContain(`a drift of +6.1 % since ${after}`);
  expect(screen.getByRole("link", { name: "+6.1 % drift" })).toBeTruthy();
});

it("the page of a machine counts its switches between known states", async () => {
  await open("/libfoo/machines/lab-arm-1");
  expect(await screen.findByText(/^Switched between known states 2 times/)).toBeTruthy();
});

it("the page of a series marks, explains and lists each kind", async () => {
  const series = world.series.find(
    ({ summary, machine }) => summary.transport.slug === "unix-stream" && machine.machine === "lab-arm-1",
  );
  await open(`/libfoo/series/${series?.summary.series_id}?at=36`);
  const words = /^p50 drift of \+6\.1 % since [0-9a-f]{7}$/;
  await screen.findAllByText(words);
  const trend = screen.getByRole("region", { name: "Latency" });
  const marks = [...trend.querySelectorAll<SVGGElement>(".change-mark")].map(({ dataset }) => dataset.mark);
  expect(new Set(marks)).toEqual(new Set(["small", "tail", "known_state", "drift", "step"]));
  for (const legend of ["triangle:", "wedge:", "square:", "diamond:", "open triangle:"]) {
    expect(trend.textContent).toContain(legend);
  }
  expect(
    within(trend)
      .getByRole("slider", { name: /by commits/ })
      .getAttribute("aria-valuetext"),
  ).toMatch(/drift of \+6\.1 %/);
  const list = await screen.findByRole("region", { name: "Change points" });
  const tail = /^p99 is now 3\.2 times the p50 \(was 2\.0\)$/;
  for (const text of [
    words,
    tail,
    /known state: the machine had this level before$/,
    /below the threshold$/,
  ]) {
    expect(within(list).getAllByText(text).length).toBeGreaterThan(0);
  }
  const pinned = screen.getByRole("complementary", { name: "Pinned point" });
  expect(await within(pinned).findByRole("heading", { name: /drift of \+6\.1 %/ })).toBeTruthy();
});
