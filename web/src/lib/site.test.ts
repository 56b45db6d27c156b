import { afterEach, expect, it, vi } from "vitest";
import { mark, SITE } from "@/test/site";
import { withParameter } from "./site";

afterEach(() => void vi.unstubAllGlobals());

it("changes one parameter of a page, and keeps the rest of the address", () => {
  const page = "https://bench.example.org/libfoo/compare?base=a&embed=trend#pairs";
  expect(withParameter(page, "embed", null)).toBe("https://bench.example.org/libfoo/compare?base=a#pairs");
  expect(withParameter(page, "embed", "sizes")).toBe(
    "https://bench.example.org/libfoo/compare?base=a&embed=sizes#pairs",
  );
});

it("changes the parameter behind the fragment of a static site", () => {
  mark();
  const page = `${SITE}#/libfoo/compare?base=a&embed=trend#pairs`;
  expect(withParameter(page, "embed", null)).toBe(`${SITE}#/libfoo/compare?base=a#pairs`);
  expect(withParameter(page, "embed", "sizes")).toBe(`${SITE}#/libfoo/compare?base=a&embed=sizes#pairs`);
  expect(withParameter(SITE, "embed", "trend")).toBe(`${SITE}#/?embed=trend`);
});
