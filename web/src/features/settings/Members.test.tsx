import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { client } from "@/api/client";
import { membersQuery } from "@/api/queries";
import type { SessionInfo } from "@/api/types";
import { aSession } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { Members } from "./Members";

const ADA = { account: "ada", role: "viewer", created_at: "2026-11-14T10:42:00Z" } as const;

// The browser of the tests knows no dialogs: it opens what it is told to.
beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
  vi.spyOn(client, "GET").mockResolvedValue({
    data: { members: [ADA], next_after: null },
    response: new Response(),
  } as never);
});

afterEach(() => vi.restoreAllMocks());

const show = (session: SessionInfo) =>
  showPage(<Members project="libfoo" session={session} />, [[membersQuery("libfoo").queryKey, [ADA]]]);

it("offers nothing to who may not, and says who may and what they are", async () => {
  await show(aSession({ roles: { libfoo: "viewer" } }));
  expect(screen.getByText(/Admins of the project alone .*; you are viewer/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.queryByRole("combobox")).toBeNull();
});

it("takes nobody out before it was asked twice", async () => {
  const removing = vi.spyOn(client, "DELETE").mockResolvedValue({ response: new Response() } as never);
  await show(aSession({ is_admin: true }));
  await userEvent.click(screen.getByRole("button", { name: "Remove ada" }));
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(removing).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Remove ada" }));
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  expect(removing).toHaveBeenCalledOnce();
});

it("says beside the field what the server finds wrong with it", async () => {
  vi.spyOn(client, "PUT").mockResolvedValue({
    error: { title: "Wrong", detail: "parameter account: not a slug" },
    response: new Response(null, { status: 400 }),
  } as never);
  await show(aSession({ is_admin: true }));
  await userEvent.type(screen.getByLabelText("Account"), "Not A Slug");
  await userEvent.click(screen.getByRole("button", { name: "Add member" }));
  expect((await screen.findByRole("alert")).textContent).toBe("Not a slug");
  expect(screen.getByLabelText("Account").getAttribute("aria-invalid")).toBe("true");
});
