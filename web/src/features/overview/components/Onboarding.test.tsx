import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Onboarding } from "./Onboarding";

it("names the commands, with the address of this server", () => {
  render(<Onboarding project={null} />);
  expect(screen.getByRole("heading").textContent).toBe("No run has arrived yet");
  expect(screen.getByText("cargo xtask up")).toBeTruthy();
  expect(screen.getByText(`roundtrip run --upload ${window.location.origin}`)).toBeTruthy();
});

it("names the project that has no run", () => {
  render(<Onboarding project="libfoo" />);
  expect(screen.getByRole("heading").textContent).toBe("No run of libfoo has arrived yet");
});
