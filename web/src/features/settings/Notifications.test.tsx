import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, it, vi } from "vitest";
import type { SessionInfo } from "@/api/types";
import { aSession } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { mockServer } from "@/test/server";
import { Notifications } from "./Notifications";

const { server, sent } = mockServer();

async function show(session: SessionInfo) {
  await showPage(<Notifications project="libfoo" session={session} />);
  if (session.account?.is_admin) await screen.findByRole("button", { name: "Test team chat" });
}

it("explains the required role without showing channels", async () => {
  await show(aSession({ roles: { libfoo: "contributor" } }));
  expect(screen.getByText(/Only maintainers can .*; your role is contributor/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.queryByText(/Xb4d/)).toBeNull();
});

it("shows the result of a test", async () => {
  const test = { delivered: false, detail: "Not delivered: status 404." };
  server.use(http.post("*/channels/1/test", () => HttpResponse.json(test)));
  await show(aSession({ is_admin: true }));
  await userEvent.click(screen.getByRole("button", { name: "Test team chat" }));
  expect(await screen.findByText(test.detail)).toBeTruthy();
});

it("selects regressions by default and shows the key once", async () => {
  await show(aSession({ is_admin: true }));
  await userEvent.type(screen.getByLabelText("Name"), "bugs");
  await userEvent.selectOptions(screen.getByLabelText("Type"), "webhook");
  await userEvent.type(screen.getByLabelText("Address"), "https://bugs.example.org/hook");
  await userEvent.click(screen.getByRole("button", { name: "Add channel" }));
  const key = "whsec_this-signs-nothing";
  expect(await screen.findByText(key)).toBeTruthy();
  expect(await sent[0]?.body).toMatchObject({
    name: "bugs",
    kind: "webhook",
    target: "https://bugs.example.org/hook",
    events: ["regressed"],
  });
  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(screen.queryByText(key)).toBeNull();
});

it("deletes a channel only after confirmation", async () => {
  await show(aSession({ is_admin: true }));
  await userEvent.click(screen.getByRole("button", { name: "Delete team chat" }));
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Delete team chat" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  await vi.waitFor(() =>
    expect(sent).toMatchObject([{ method: "DELETE", path: "/api/v1/projects/libfoo/channels/1" }]),
  );
});
