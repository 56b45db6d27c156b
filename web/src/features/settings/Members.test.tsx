import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, it, vi } from "vitest";
import { membersQuery } from "@/api/queries";
import type { SessionInfo } from "@/api/types";
import { aSession } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { mockServer } from "@/test/server";
import { Members } from "./Members";
import { Notifications } from "./Notifications";

const { server, sent } = mockServer();
const ADA = { account: "ada", role: "viewer", created_at: "2026-11-14T10:42:00Z" } as const;

const show = (session: SessionInfo) =>
  showPage(<Members project="libfoo" session={session} />, [[membersQuery("libfoo").queryKey, [ADA]]]);

it.each([
  ["members", Members, "viewer", /Only project admins can .*; your role is viewer/],
  ["channels", Notifications, "contributor", /Only maintainers can .*; your role is contributor/],
] as const)("explains the required role without showing %s", async (_, Part, role, reason) => {
  await showPage(<Part project="libfoo" session={aSession({ roles: { libfoo: role } })} />);
  expect(screen.getByText(reason)).toBeTruthy();
  for (const control of ["button", "combobox", "row"]) expect(screen.queryByRole(control)).toBeNull();
});

it("removes a member only after confirmation", async () => {
  await show(aSession({ is_admin: true }));
  await userEvent.click(screen.getByRole("button", { name: "Remove ada" }));
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Remove ada" }));
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  await vi.waitFor(() =>
    expect(sent).toMatchObject([{ method: "DELETE", path: "/api/v1/projects/libfoo/members/ada" }]),
  );
});

it("shows server errors at the field", async () => {
  const problem = { title: "Wrong", detail: "parameter account: not a slug" };
  server.use(http.put("*/members/:account", () => HttpResponse.json(problem, { status: 400 })));
  await show(aSession({ is_admin: true }));
  await userEvent.type(screen.getByLabelText("Account"), "Not A Slug");
  await userEvent.click(screen.getByRole("button", { name: "Add member" }));
  expect((await screen.findByRole("alert")).textContent).toBe("Not a slug");
  expect(screen.getByLabelText("Account").getAttribute("aria-invalid")).toBe("true");
});
