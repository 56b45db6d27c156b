import { expect, it } from "vitest";
import { localPath } from "./localPath";

it("keeps a path of this server", () => {
  for (const path of ["/", "/libfoo", "/libfoo/series/7?run=1&x=%2F%2F#top", "/-/sign-in?to=//example.org"]) {
    expect(localPath(path)).toBe(path);
  }
});

it("drops what could lead elsewhere", () => {
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
