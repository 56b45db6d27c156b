/** The search on any page, with the data of the mock. */
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { show } from "@/lib/overlays";
import { addRecent } from "@/lib/views";
import { open, withoutEvents } from "@/test/app";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";
import { World } from "../../mock/world/world";

mockServer();
withLayout(720, 300);
withoutEvents();
beforeEach(() => localStorage.clear());
afterEach(() => show(null));

async function search(text: string): Promise<void> {
  await open("/libfoo/error-rates");
  await userEvent.keyboard("/");
  const field = await screen.findByRole("combobox", { name: "Search" });
  await userEvent.clear(field);
  if (text !== "") await userEvent.type(field, text);
}

const options = () => within(screen.getByRole("listbox", { name: "Results" })).queryAllByRole("option");
const labels = () => options().map(({ firstChild }) => firstChild?.textContent ?? "");

it("lists recent pages first, and the key of every page and action", async () => {
  addRecent("libfoo", { name: "Regression 1", href: "/libfoo/regressions/1" });
  await search("");
  expect(labels()[0]).toBe("Regression 1");
  const withoutKey = options()
    .filter((option) => option.closest("[aria-label=Pages], [aria-label=Actions]") !== null)
    .filter((option) => option.getAttribute("aria-keyshortcuts") === null);
  expect(withoutKey).toEqual([]);
  expect(screen.getByRole("option", { name: "Advisor" }).getAttribute("aria-keyshortcuts")).toBe("g a");
});

it("finds series by words, those of the named transport before its family", async () => {
  await search("p99 pipe 4k cross");
  await screen.findByText(/^All 4 series in Explore$/);
  const series = labels().filter((label) => label.includes("round trip 4 KiB"));
  expect(series.map((label) => label.split(",")[0])).toEqual(["pipe", "pipe", "fifo", "fifo"]);
});

it("opens the page of a commit", async () => {
  const sha = new World().commits.at(-1)?.sha ?? "";
  await search(sha.slice(0, 10));
  const commits = await screen.findByRole("group", { name: "Commits" });
  await userEvent.click(within(commits).getByRole("option"));
  await waitFor(() => expect(window.location.pathname).toBe(`/libfoo/commit/${sha.slice(0, 12)}`));
});

it("suggests a correction if nothing matches", async () => {
  await search("pupe 4k");
  await screen.findByText("No match for “pupe 4k”.");
  await userEvent.click(screen.getByRole("option", { name: "Search for pipe 4k" }));
  await waitFor(() => expect(labels()[0]).toMatch(/^pipe, /));
});
