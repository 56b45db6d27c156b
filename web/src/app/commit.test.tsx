/** The pages of a commit and of a pull request, with the data of the mock. */
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, it } from "vitest";
import { open, withoutEvents } from "@/test/app";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";
import { SLOWER_AT } from "../../mock/world/commits";
import { World } from "../../mock/world/world";

const { server, sent } = mockServer();
withLayout(720, 300);
withoutEvents();

const { commits } = new World();
const [before, slower] = [commits[SLOWER_AT - 2], commits[SLOWER_AT - 1]].map((commit) => commit?.sha ?? "");

it("a commit has its verdict, regressions, runs and jobs", async () => {
  await open(`/libfoo/commit/${slower?.slice(0, 7)}`);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toMatch(/got [\d.]+\s% slower/);
  expect(screen.getByText("Slower", { selector: "strong" })).toBeTruthy();
  const regressions = await screen.findByRole("region", { name: "Regressions, table" });
  expect(within(regressions).getByText("begins here")).toBeTruthy();
  for (const name of ["Changed cases", "Runs", "Jobs"]) {
    expect(await screen.findByRole("region", { name: `${name}, table` })).toBeTruthy();
  }
  const [host] = screen.getAllByRole("link", { name: `${slower?.slice(0, 7)} on GitHub` });
  expect(host?.getAttribute("href")).toBe(`https://github.com/example/libfoo/commit/${slower}`);
});

it.each(["regressions", "jobs", "notes"])("a commit reports that it cannot load its %s", async (list) => {
  const failure = http.get(`*/api/v1/projects/:project/${list}`, () =>
    HttpResponse.json(null, { status: 404 }),
  );
  server.use(failure);
  await open(`/libfoo/commit/${slower}`);
  expect(within(await screen.findByRole("alert")).getByRole("button", { name: "Try again" })).toBeTruthy();
});

it("brackets open the measured commits before and after, without the text of a new note", async () => {
  await open(`/libfoo/commit/${slower}`);
  const draft = async () => (await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Note" })).value;
  await userEvent.type(await screen.findByRole("textbox", { name: "Note" }), "About this commit.");
  const isAt = (sha: string | undefined) => () =>
    expect(window.location.pathname).toBe(`/libfoo/commit/${sha?.slice(0, 12)}`);
  fireEvent.keyDown(document.body, { key: "[" });
  await waitFor(isAt(before));
  await waitFor(async () => expect(await draft()).toBe(""));
  await screen.findByText(`Next`, { selector: "a", exact: false });
  fireEvent.keyDown(document.body, { key: "]" });
  await waitFor(isAt(slower));
});

it("notes are added and deleted", async () => {
  await open(`/libfoo/commit/${slower}`);
  await userEvent.type(await screen.findByRole("textbox", { name: "Note" }), "Checked on purpose.");
  await userEvent.click(screen.getByRole("button", { name: "Add note" }));
  const note = (await screen.findByText("Checked on purpose.", { selector: "p" })).closest("li");
  await userEvent.click(within(note as HTMLElement).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(screen.queryByText("Checked on purpose.", { selector: "p" })).toBeNull());
});

it("a pull request links back to its host, and queues the pairs that are missing", async () => {
  await open("/libfoo/pull-requests/42");
  const link = await screen.findByRole("link", { name: "#42 on GitHub" });
  expect(link.getAttribute("href")).toBe("https://github.com/example/libfoo/pull/42");
  await userEvent.click(await screen.findByRole("button", { name: "Run 14 more pairs" }));
  expect(await screen.findByText(/^Queued:/)).toBeTruthy();
  const [job] = sent.filter(({ path }) => path.endsWith("/jobs"));
  expect(await job?.body).toMatchObject({ pull_request: 42, base: commits.at(-1)?.sha });
});
