import { describe, expect, it } from "vitest";
import {
  commitSha,
  cursor,
  localPath,
  oneOf,
  present,
  slug,
  slugs,
  text,
  uuid,
  whole,
  withToggled,
} from "./search";

describe("reading a query", () => {
  it("keeps valid values", () => {
    expect(oneOf(["commits", "time"])("time")).toBe("time");
    expect(slug("same-cpu")).toBe("same-cpu");
    expect(text(64)).toBe("64");
    expect(whole(1024)).toBe(1024);
    expect(slugs("pipe.ring-futex.Not one")).toBe("pipe.ring-futex");
    expect(commitSha("0a".repeat(20))).toBe("0a".repeat(20));
    expect(uuid("019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b")).toBe("019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b");
    expect(cursor("MDE5-YQ_")).toBe("MDE5-YQ_");
  });
  it("drops invalid values", () => {
    expect(oneOf(["commits", "time"])("days")).toBeUndefined();
    expect(slug("Same CPU")).toBeUndefined();
    expect(text("")).toBeUndefined();
    expect(text({})).toBeUndefined();
    expect(whole(-1)).toBeUndefined();
    expect(whole("1024")).toBeUndefined();
    expect(slugs(".")).toBeUndefined();
    expect(slugs(["pipe"])).toBeUndefined();
    expect(commitSha("main")).toBeUndefined();
    expect(uuid("latest")).toBeUndefined();
    expect(cursor("a b")).toBeUndefined();
  });
  it("toggles one identifier of several", () => {
    expect(withToggled("trend", "sizes")).toBe("trend.sizes");
    expect(withToggled("trend.sizes", "trend")).toBe("sizes");
    expect(withToggled("sizes", "sizes")).toBeUndefined();
  });
  it("drops absent entries, so that the URL stays short", () => {
    expect(present({ a: 1, b: undefined })).toEqual({ a: 1 });
    expect("b" in present({ b: undefined })).toBe(false);
  });
});

it("keeps a path of this server", () => {
  for (const path of ["/", "/libfoo", "/libfoo/series/7?run=1&x=%2F%2F#top", "/-/sign-in?to=//example.org"]) {
    expect(localPath(path)).toBe(path);
  }
});

it("drops paths that could lead to other sites", () => {
  const values = [
    "",
    "libfoo",
    "//example.org",
    "///example.org",
    "/\\example.org",
    "\\/example.org",
    "/\t/example.org",
    "/\n/example.org",
    "https://example.org",
    "javascript:alert(1)",
    " /libfoo",
    "/lib foo",
    "/ä",
    `/${"a".repeat(2048)}`,
    7,
    undefined,
  ];
  for (const value of values) expect(localPath(value), String(value)).toBeUndefined();
});
