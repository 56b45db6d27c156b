/** The address of Compare without sides. */
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { open, withoutEvents } from "@/test/app";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";

mockServer();
withLayout(720, 300);
withoutEvents();

it("is the comparison of the newest two commits", async () => {
  await open("/libfoo/compare");
  await screen.findByRole("heading", { name: "Changes by case" });
  const sides = new URLSearchParams(window.location.search);
  expect(sides.get("base")).toMatch(/^[0-9a-f]{40}$/);
  expect(sides.get("head")).toMatch(/^[0-9a-f]{40}$/);
  expect(sides.get("base")).not.toBe(sides.get("head"));
});

it("names the next step if there are too few commits", async () => {
  await open("/libempty/compare");
  expect(await screen.findByText(/^The main line has fewer than two measured commits\./)).toBeTruthy();
});
