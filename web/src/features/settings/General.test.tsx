import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { ProjectSummary, SessionInfo } from "@/api/types";
import { aProject, aSession } from "@/test/fixtures";
import { withLayout } from "@/test/layout";
import { showPage } from "@/test/page";
import { mockServer } from "@/test/server";
import { General } from "./General";

const { sent } = mockServer();
withLayout(720, 300);

const LABEL = "Smallest change worth an alert";

async function show(summary: ProjectSummary, session: SessionInfo = aSession({ is_admin: true })) {
  await showPage(<General summary={summary} session={session} />);
}

const save = () => userEvent.click(screen.getByRole("button", { name: "Save" }));

it.each([
  ["2.5", 0.025],
  ["", null],
])("saves the smallest change worth an alert: %j", async (text, least_change) => {
  await show(aProject({ least_change: 0.02 }));
  const field = screen.getByLabelText<HTMLInputElement>(LABEL);
  expect(field.value).toBe("2");
  await userEvent.clear(field);
  if (text !== "") await userEvent.type(field, text);
  await save();
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(await sent[0]?.body).toEqual({ least_change });
});

it("rejects a smallest change that is no percentage, and names the expected form", async () => {
  await show(aProject());
  const field = screen.getByLabelText(LABEL);
  await userEvent.type(field, "two");
  await save();
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Expected a percentage above 0 and below 100, for example 2.5",
  );
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(sent).toEqual([]);
});

it("shows the smallest change to users who cannot change it", async () => {
  await show(aProject(), aSession({ roles: { libfoo: "viewer" } }));
  expect(screen.getByText(LABEL)).toBeTruthy();
  expect(screen.getByText(/^default: two standard deviations/)).toBeTruthy();
});
