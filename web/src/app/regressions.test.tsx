/** Triage and comments on the page of a regression, with the data of the mock. */
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, it } from "vitest";
import { open, withoutEvents } from "@/test/app";
import { aSession } from "@/test/fixtures";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";

const { server, sent } = mockServer();
withLayout(720, 300);
withoutEvents();

const bodies = () => Promise.all(sent.map(({ body }) => body));

it("undoes a change of triage with a key", async () => {
  await open("/libfoo/regressions/1");
  await userEvent.click(await screen.findByRole("button", { name: "Acknowledge" }));
  expect(await screen.findByText("Acknowledged", { selector: ".notice span" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Acknowledge" })).toBeNull();
  await userEvent.click(document.body);
  await userEvent.keyboard("u");
  expect(await screen.findByRole("button", { name: "Acknowledge" })).toBeTruthy();
  expect(await bodies()).toEqual([{ state: "acknowledged" }, { state: "new" }]);
});

it("orders the affected series by the trait in the address", async () => {
  await open("/libfoo/regressions/1?sort=size-desc");
  const table = (await screen.findByRole("button", { name: "Size" })).closest("table");
  if (table === null) throw new Error("The button is not in a table.");
  const [, first, ...others] = within(table).getAllByRole("row");
  expect(first?.textContent).toMatch(/^64 KiB/);
  expect(others.at(-1)?.textContent).toMatch(/^16 B/);
});

it("assigns a member of the project", async () => {
  await open("/libfoo/regressions/1");
  const assignee = await screen.findByRole("combobox", { name: "Assignee" });
  await within(assignee).findByRole("option", { name: "ben" });
  await userEvent.selectOptions(assignee, "ben");
  expect(await screen.findByText(/assigned to ben\./)).toBeTruthy();
});

it.each(["/libfoo/regressions", "/libfoo/regressions/1"])("%s has no triage for viewers", async (path) => {
  const viewer = aSession({ roles: { libfoo: "viewer" } });
  server.use(http.get("*/api/v1/session", () => HttpResponse.json(viewer)));
  await open(path);
  await userEvent.keyboard("af");
  expect(screen.queryByRole("checkbox", { name: /^Select/ })).toBeNull();
  expect(screen.queryByRole("textbox", { name: "Comment" })).toBeNull();
  expect(sent).toEqual([]);
});

it("compares both ends again", async () => {
  await open("/libfoo/regressions/1");
  await userEvent.click(await screen.findByRole("button", { name: "Re-run" }));
  expect(await screen.findByRole("link", { name: /job/ })).toBeTruthy();
  expect(sent.map(({ path }) => path)).toEqual(["/api/v1/projects/libfoo/jobs"]);
});

it("opens the form for an issue at the host, filled in", async () => {
  await open("/libfoo/regressions/1");
  const link = await screen.findByRole("link", { name: "Create issue" });
  const { origin, searchParams } = new URL(link.getAttribute("href") ?? "");
  expect(origin).toBe("https://github.com");
  expect(searchParams.get("title")).toMatch(/^Slower by up to 20 %, since \w{7}/);
  expect(searchParams.get("body")).toContain("/libfoo/regressions/1");
});

it("shows a new comment between the changes of triage, and deletes it", async () => {
  await open("/libfoo/regressions/2");
  const activity = await screen.findByRole("region", { name: "Activity" });
  await within(activity).findByText("state: acknowledged; assigned to ada");
  await userEvent.type(within(activity).getByRole("textbox", { name: "Comment" }), "Seen.");
  await userEvent.click(within(activity).getByRole("button", { name: "Comment" }));
  const entry = (await within(activity).findByText("Seen.", { selector: ".comment" })).closest("li");
  await userEvent.click(within(entry as HTMLElement).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(within(activity).queryByText("Seen.", { selector: ".comment" })).toBeNull());
});
