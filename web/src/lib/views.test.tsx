import { afterEach, expect, it, vi } from "vitest";
import { addRecent, deleteView, recentOf, renameView, saveView, viewsOf } from "./views";

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

const names = (project: string) => viewsOf(project).map(({ name }) => name);

it("stores views by project, sorted by name", () => {
  saveView("libfoo", { name: " tail 10 ", href: "/libfoo/explore?q=p99" });
  saveView("libfoo", { name: "tail 9", href: "/libfoo/explore" });
  saveView("other", { name: "mine", href: "/other" });
  expect(viewsOf("libfoo")).toEqual([
    { name: "tail 9", href: "/libfoo/explore" },
    { name: "tail 10", href: "/libfoo/explore?q=p99" },
  ]);
  expect(names("other")).toEqual(["mine"]);
});

it("replaces a view of the same name", () => {
  saveView("libfoo", { name: "tail", href: "/libfoo/explore" });
  saveView("libfoo", { name: "tail", href: "/libfoo/runs" });
  expect(viewsOf("libfoo")).toEqual([{ name: "tail", href: "/libfoo/runs" }]);
});

it("renames and deletes", () => {
  saveView("libfoo", { name: "a", href: "/libfoo/explore" });
  saveView("libfoo", { name: "b", href: "/libfoo/runs" });
  renameView("libfoo", "a", "c");
  expect(names("libfoo")).toEqual(["b", "c"]);
  renameView("libfoo", "c", "b");
  expect(viewsOf("libfoo")).toEqual([{ name: "b", href: "/libfoo/explore" }]);
  expect(renameView("libfoo", "b", "  ")).toBe(false);
  deleteView("libfoo", "b");
  expect(viewsOf("libfoo")).toEqual([]);
});

it("keeps the last pages, the newest first and each once", () => {
  for (const place of [1, 2, 3, 4, 5, 6, 2]) {
    addRecent("libfoo", { name: `run ${place}`, href: `/libfoo/runs/${place}` });
  }
  expect(recentOf("libfoo").map(({ name }) => name)).toEqual(["run 2", "run 6", "run 5", "run 4", "run 3"]);
  expect(viewsOf("libfoo")).toEqual([]);
});

it("returns the same list for the same storage", () => {
  saveView("libfoo", { name: "a", href: "/libfoo" });
  expect(viewsOf("libfoo")).toBe(viewsOf("libfoo"));
});

it.each(["{", "null", '"text"', "7", '{"name":"a"}'])("takes %s for no views", (stored) => {
  localStorage.setItem("roundtrip.views.libfoo", stored);
  expect(viewsOf("libfoo")).toEqual([]);
});

it("ignores invalid views", () => {
  const good = { name: "good", href: "/libfoo?scenario=stream" };
  const bad = [
    null,
    { name: "", href: "/libfoo" },
    { name: "x".repeat(81), href: "/libfoo" },
    { name: "elsewhere", href: "https://example.org/libfoo" },
    { name: "host", href: "//libfoo" },
    { name: "script", href: "javascript:alert(1)" },
    { name: "other project", href: "/libfoo2/explore" },
    { name: "no address" },
    { name: "good", href: "/libfoo/runs" },
  ];
  localStorage.setItem("roundtrip.views.libfoo", JSON.stringify([good, ...bad]));
  expect(viewsOf("libfoo")).toEqual([good]);
});

it("works without storage and reports it", () => {
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
    throw new DOMException("denied");
  });
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("denied");
  });
  expect(viewsOf("libfoo")).toEqual([]);
  expect(saveView("libfoo", { name: "a", href: "/libfoo" })).toBe(false);
});
