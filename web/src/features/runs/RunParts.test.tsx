import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { aRunSummary } from "@/test/fixtures";
import { Quarantined } from "./RunParts";

test("a run that nobody vouches for says so", () => {
  render(<Quarantined run={aRunSummary({ quarantined: true })} />);
  expect(screen.getByText(/never part of the trend/)).toBeDefined();
});

test("any other run says nothing", () => {
  const { container } = render(<Quarantined run={aRunSummary({})} />);
  expect(container.innerHTML).toBe("");
});
