import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { host, mark, SITE } from "@/test/site";
import { forgetFiles, nameOf, pathOf, read } from "./files";

beforeEach(mark);
afterEach(() => {
  vi.unstubAllGlobals();
  forgetFiles();
});

it("escapes all bytes except letters, digits and . _ - /", () => {
  expect(pathOf("charts/changes?series=1")).toBe("charts/changes~3fseries~3d1.json.gz");
  expect(pathOf("projects/a.b_c-D9")).toBe("projects/a.b_c-D9.json.gz");
  expect(pathOf("~ é&,%")).toBe("~7e~20~c3~a9~26~2c~25.json.gz");
});

it("sorts parameters by name and leaves out missing ones", () => {
  expect(nameOf("p/charts/sweep", { over: "peers", mode: undefined, machine: "m" })).toBe(
    "p/charts/sweep?machine=m&over=peers",
  );
  expect(nameOf("session")).toBe("session");
});

it("decompresses files, unless the browser has already done so", async () => {
  const files = new Map([["session", { account: null }]]);
  const requests = host(files, (text) => gzipSync(text));
  expect(await read("session")).toEqual({ account: null });
  expect(requests).toEqual([`${SITE}data/session.json.gz`]);
  forgetFiles();
  host(files);
  expect(await read("session")).toEqual({ account: null });
});

it("loads a file once", async () => {
  const requests = host(new Map([["session", 1]]));
  await Promise.all([read("session"), read("session")]);
  await read("session");
  expect(requests).toHaveLength(1);
});

it("reports missing files, also from hosts that answer with a page", async () => {
  host(new Map());
  expect(await read("session")).toBeNull();
  forgetFiles();
  vi.stubGlobal("fetch", async () => new Response("<!doctype html>"));
  expect(await read("session")).toBeNull();
});

it("asks again after a failure", async () => {
  vi.stubGlobal("fetch", async () => new Response("", { status: 500 }));
  await expect(read("session")).rejects.toThrow("expected a file, got status 500");
  host(new Map([["session", 2]]));
  expect(await read("session")).toBe(2);
});
