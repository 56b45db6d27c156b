import { expect, it, test } from "vitest";
import type { TokenSummary } from "@/api/types";
import { cronText, detailsText, readersText, tokensOf, validity } from "./data";
import { parseSettingsSearch } from "./search";

test("a public project is everybody's who reaches the server, or who has an account on a private one", () => {
  expect(readersText("public", false)).toContain("everybody who reaches this server");
  expect(readersText("public", true)).toContain("who has an account");
  expect(readersText("private", false)).toContain("nobody else");
});

test("a project's tokens are its own and those that are good for any", () => {
  const token = (token_id: number, project: string | null) => ({ token_id, project }) as TokenSummary;
  const tokens = [token(1, "libfoo"), token(2, "other"), token(3, null)];
  expect(tokensOf(tokens, "libfoo").map(({ token_id }) => token_id)).toEqual([1, 3]);
});

test("a token's end is told, and that it is past", () => {
  const now = new Date("2026-11-24T12:00:00Z");
  expect(validity({ expires_at: null }, now)).toBe("for ever");
  expect(validity({ expires_at: "2027-02-22T12:00:00Z" }, now)).toBe("until 22 Feb 2027");
  expect(validity({ expires_at: "2026-11-03T12:00:00Z" }, now)).toBe("ended 3 Nov 2026");
});

test("details of an event are read as a line", () => {
  expect(
    detailsText({
      visibility: { from: "public", to: "private" },
      scopes: ["read", "ingest:write"],
      machine: null,
      points_changed: 0,
    }),
  ).toBe("visibility: public to private; scopes: read, ingest:write; points changed: 0");
});

test("an address names a part that there is, and a place of the audit log alone", () => {
  expect(parseSettingsSearch({ section: "tokens", after: "abc" })).toEqual({ section: "tokens" });
  expect(parseSettingsSearch({ section: "audit", after: "abc" })).toEqual({ section: "audit", after: "abc" });
  expect(parseSettingsSearch({ section: "general" })).toEqual({});
  expect(parseSettingsSearch({ section: "odd" })).toEqual({});
});

it("reads a schedule as words, in the zone that it is in", () => {
  expect(cronText("30 2 * * *")).toBe("At 02:30 UTC, every day");
  expect(cronText("0 4 * * 1-5")).toBe("At 04:00 UTC, Monday through Friday");
  expect(cronText("*/15 * * * *")).not.toContain("UTC");
});

it("says nothing of what is no time", () => {
  expect(cronText("30 2 * *")).toBeNull();
  expect(cronText("0 30 2 * * *")).toBeNull();
  expect(cronText("61 2 * * *")).toBeNull();
  expect(cronText("")).toBeNull();
});
