import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { sessionQuery } from "@/api/queries";
import type { SessionInfo } from "@/api/types";
import { aSession } from "@/test/fixtures";
import { showPage } from "@/test/page";
import { Onboarding } from "./Onboarding";

/** Shows it to somebody; returns what it says first. */
async function show(project: string | null, session: SessionInfo) {
  return (await showPage(<Onboarding project={project} />, [[sessionQuery.queryKey, session]])).textContent;
}

it("names the commands, with the address of this server", async () => {
  expect(await show(null, aSession(null))).toBe("No run has arrived yet");
  const there = `--upload ${window.location.origin} --token-file agent.token`;
  for (const command of ["run", "agent --repository .", "import results.json"]) {
    expect(screen.getByText(`roundtrip ${command} ${there}`)).toBeTruthy();
  }
});

it("names the project that has no run, and offers its maintainers a token", async () => {
  expect(await show("libfoo", aSession({ roles: { libfoo: "maintainer" } }))).toBe(
    "No run of libfoo has arrived yet",
  );
  expect(screen.getByRole("link", { name: /in the settings/ }).getAttribute("href")).toContain(
    "/libfoo/settings?section=tokens",
  );
  expect(screen.queryByRole("link", { name: "sign in" })).toBeNull();
});

it("offers strangers to sign in, and no token", async () => {
  await show("libfoo", aSession(null));
  expect(screen.getByRole("link", { name: "sign in" })).toBeTruthy();
  expect(screen.queryByRole("link", { name: /in the settings/ })).toBeNull();
});
