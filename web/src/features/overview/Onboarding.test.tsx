import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { sessionQuery } from "@/api/queries";
import type { SessionInfo } from "@/api/types";
import { aSession } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { Onboarding } from "./Onboarding";

/** Renders the page for a session; returns the heading. */
async function renderFor(project: string | null, session: SessionInfo) {
  return (await showPage(<Onboarding project={project} />, [[sessionQuery.queryKey, session]])).textContent;
}

it("shows the commands with this server's address", async () => {
  expect(await renderFor(null, aSession(null))).toBe("No runs yet");
  const target = `--upload ${window.location.origin} --token-file agent.token`;
  for (const command of ["run", "agent --repository .", "import results.json"]) {
    expect(screen.getByText(`roundtrip ${command} ${target}`)).toBeTruthy();
  }
});

it("names the project, and links maintainers to the token settings", async () => {
  expect(await renderFor("libfoo", aSession({ roles: { libfoo: "maintainer" } }))).toBe(
    "No runs of libfoo yet",
  );
  expect(screen.getByRole("link", { name: /in the settings/ }).getAttribute("href")).toContain(
    "/libfoo/settings?section=tokens",
  );
  expect(screen.queryByRole("link", { name: "sign in" })).toBeNull();
});

it("links signed-out users to sign-in, not to the settings", async () => {
  await renderFor("libfoo", aSession(null));
  expect(screen.getByRole("link", { name: "sign in" })).toBeTruthy();
  expect(screen.queryByRole("link", { name: /in the settings/ })).toBeNull();
});
