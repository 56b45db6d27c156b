import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { client } from "@/api/client";
import { channelsQuery } from "@/api/queries";
import type { Channel, SessionInfo } from "@/api/types";
import { aSession } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { Notifications } from "./Notifications";

const CHAT: Channel = {
  channel_id: 1,
  name: "team chat",
  kind: "slack",
  target: "hooks.slack.com/…Xb4d",
  events: ["regressed"],
  enabled: true,
  disabled_because: null,
  last_success_at: null,
  last_failure_at: null,
  failure: null,
  created_by: "account:ada",
  created_at: "2026-11-14T10:42:00Z",
};
const LIST = { channels: [CHAT], kinds: ["slack" as const, "webhook" as const] };

// The browser of the tests knows no dialogs: it opens what it is told to.
beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
  vi.spyOn(client, "GET").mockResolvedValue({ data: LIST, response: new Response() } as never);
});

afterEach(() => vi.restoreAllMocks());

const show = (session: SessionInfo) =>
  showPage(<Notifications project="libfoo" session={session} />, [[channelsQuery("libfoo").queryKey, LIST]]);

it("shows nothing to who may not, and says who may", async () => {
  await show(aSession({ roles: { libfoo: "contributor" } }));
  expect(screen.getByText(/Maintainers alone see and change .*; you are contributor/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.queryByText(/Xb4d/)).toBeNull();
});

it("says how a test went", async () => {
  const test = { delivered: false, detail: "The message was not taken: it answered 404." };
  vi.spyOn(client, "POST").mockResolvedValue({ data: test, response: new Response() } as never);
  await show(aSession({ is_admin: true }));
  await userEvent.click(screen.getByRole("button", { name: "Test team chat" }));
  expect(await screen.findByText(test.detail)).toBeTruthy();
});

it("asks for regressions alone unless somebody says more, and shows the key once", async () => {
  const made = { channel: { ...CHAT, channel_id: 2, name: "bugs", kind: "webhook" }, secret: "whsec_key" };
  const post = vi.spyOn(client, "POST").mockResolvedValue({ data: made, response: new Response() } as never);
  await show(aSession({ is_admin: true }));
  await userEvent.type(screen.getByLabelText("Name"), "bugs");
  await userEvent.selectOptions(screen.getByLabelText("By"), "webhook");
  await userEvent.type(screen.getByLabelText("Address"), "https://bugs.example.org/hook");
  await userEvent.click(screen.getByRole("button", { name: "Add channel" }));
  expect(post.mock.calls[0]?.[1]).toMatchObject({
    body: { name: "bugs", kind: "webhook", target: "https://bugs.example.org/hook", events: ["regressed"] },
  });
  expect(await screen.findByText("whsec_key")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "I have it" }));
  expect(screen.queryByText("whsec_key")).toBeNull();
});

it("deletes nothing before it was asked twice", async () => {
  const deleting = vi.spyOn(client, "DELETE").mockResolvedValue({ response: new Response() } as never);
  await show(aSession({ is_admin: true }));
  await userEvent.click(screen.getByRole("button", { name: "Delete team chat" }));
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(deleting).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Delete team chat" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  expect(deleting).toHaveBeenCalledOnce();
});
