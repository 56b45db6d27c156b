/** The page of two profiles, with the data of the mock: details, zoom and keyboard, search, table and downloads. */
import { fireEvent, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { ROW_PX } from "@/features/profile/paint";
import { open, withoutEvents } from "@/test/app";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";

mockServer();
withLayout(720, 300);
withoutEvents();

const PAGE = "/libfoo/regressions/1/profile";

async function openGraph(query = ""): Promise<HTMLElement> {
  await open(`${PAGE}${query}`);
  return screen.findByRole("application");
}

/** The details of the current frame. */
const details = () => document.querySelector(".flame-details")?.textContent ?? "";

it("a regression with profiles links to them", async () => {
  await open("/libfoo/regressions/1");
  await userEvent.click(await screen.findByRole("link", { name: "Flame graph" }));
  expect(
    await screen.findByRole("heading", { level: 1, name: /^Profiles of base \w{7} and head/ }),
  ).toBeTruthy();
  expect(window.location.pathname).toBe(PAGE);
  // The series of the regression page are cached; which of them was profiled is unknown.
  expect(screen.getByText(/^48,200 messages in base, 40,100 messages in head\./)).toBeTruthy();
});

it("a regression without profiles has no link", async () => {
  await open("/libfoo/regressions/2");
  expect(screen.queryByRole("link", { name: "Flame graph" })).toBeNull();
});

it("without profiles there is no page", async () => {
  await open("/libfoo/regressions/2/profile");
  expect(screen.getByRole("heading", { level: 1, name: "Page not found" })).toBeTruthy();
});

it("shows the end whose CPU time changed the most", async () => {
  await openGraph();
  expect(screen.getByRole("combobox", { name: "End" })).toHaveProperty("value", "responder");
  expect(details()).toMatch(/^responder.*base 4\.53 µs · head 5\.34 µs · \+808 ns per message/);
});

it("moves between frames with the arrow keys, zooms with Enter and resets with Escape", async () => {
  const graph = await openGraph();
  const press = (key: string) => fireEvent.keyDown(graph, { key });
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"]) press(key);
  expect(details()).toMatch(/^ring::answer/);
  expect(within(graph.parentElement as HTMLElement).getByRole("status").textContent).toMatch(
    /^ring::answer: base 1\.27 µs, head 2\.09 µs, \+818 ns per message/,
  );
  press("Enter");
  expect(screen.getByRole("button", { name: "Reset zoom" })).toBeTruthy();
  // Its neighbour is not on the screen.
  press("ArrowLeft");
  expect(details()).toMatch(/^ring::answer/);
  press("ArrowUp");
  expect(details()).toMatch(/^ring::serve/);
  press("Escape");
  expect(details()).toMatch(/^responder/);
  expect(screen.queryByRole("button", { name: "Reset zoom" })).toBeNull();
});

it("shows the frame under the pointer, zooms with a click, and zooms out with a click on a caller", async () => {
  const graph = await openGraph("?view=head");
  const at = (x: number, row: number) => ({ clientX: x, clientY: row * ROW_PX + 1 });
  fireEvent.mouseMove(graph, at(700, 4));
  expect(details()).toMatch(/^ring::answer/);
  fireEvent.mouseLeave(graph);
  expect(details()).toMatch(/^responder/);
  fireEvent.click(graph, at(700, 4));
  expect(details()).toMatch(/^ring::answer/);
  // It has the whole width now.
  fireEvent.mouseMove(graph, at(5, 4));
  expect(details()).toMatch(/^ring::answer/);
  fireEvent.click(graph, at(5, 0));
  fireEvent.mouseMove(graph, at(5, 4));
  expect(details()).toMatch(/^ring::receive/);
});

it("keeps the controls in the address, and searches functions", async () => {
  await openGraph();
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "End" }), "initiator");
  await userEvent.click(screen.getByRole("button", { name: "Base" }));
  await userEvent.click(screen.getByRole("button", { name: "On CPU" }));
  await userEvent.keyboard("f");
  await userEvent.keyboard("memmove");
  expect(await screen.findByText(/^1 function: .* of base, .* of head$/)).toBeTruthy();
  const { search } = window.location;
  expect(new URLSearchParams(search)).toEqual(
    new URLSearchParams({ end: "initiator", view: "base", time: "on-cpu", q: "memmove" }),
  );
});

it("has the functions as a table, the largest change of the own time first", async () => {
  await open(`${PAGE}?tables=profile`);
  const [, first] = await screen.findAllByRole("row");
  const cells = within(first as HTMLElement).getAllByRole("cell");
  expect(cells.map(({ textContent }) => textContent)).toEqual([
    "__memmove_avx_unaligned_erms",
    "+270 ns",
    "150 ns",
    "420 ns",
    "+570 ns",
    "150 ns",
    "720 ns",
  ]);
});

it("links to the profiles as files", async () => {
  await openGraph();
  const hrefs = ["Folded stacks", "pprof", "Firefox Profiler"].map((name) => {
    const link = screen.getByRole("link", { name });
    expect(link.hasAttribute("download")).toBe(true);
    return link.getAttribute("href");
  });
  const path = "/api/v1/projects/libfoo/regressions/1/profile";
  expect(hrefs).toEqual(["folded", "pprof", "firefox"].map((format) => `${path}?format=${format}`));
});
