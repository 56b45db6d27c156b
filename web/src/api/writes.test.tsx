import { HttpResponse, http } from "msw";
import { expect, it } from "vitest";
import { aSession } from "@/test/fixtures";
import { mockServer } from "@/test/server";
import { linkToPage } from "./writes";

const { server, sent } = mockServer();

it("gives signed-in users a short link", async () => {
  expect(await linkToPage("trend")).toBe(`${window.location.origin}/l/0123456789#trend`);
  expect(sent.map(({ path }) => path)).toEqual(["/api/v1/links"]);
});

it("gives others the full address, without asking for a short link", async () => {
  server.use(http.get("*/api/v1/session", () => HttpResponse.json(aSession(null))));
  window.history.replaceState(null, "", "/libfoo/series/7?tables=trend");
  expect(await linkToPage("trend")).toBe(`${window.location.origin}/libfoo/series/7?tables=trend#trend`);
  expect(sent).toEqual([]);
});
