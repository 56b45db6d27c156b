import { expect, it, test } from "vitest";
import type { TokenSummary } from "@/api/types";
import { cronText, detailsText, leastChangeOf, percentOf, readersText, tokensOf, validity } from "./data";
import { parseSettingsSearch } from "./search";

test("the visibility depends on the project and the server", () => {
  expect(readersText("public", false)).toContain("anyone with network access");
  expect(readersText("public", true)).toContain("any account");
  expect(readersText("private", false)).toBe("visible to members and administrators only");
});

test.each([
  ["2.5", 0.025],
  [" 7 % ", 0.07],
  [".5", 0.005],
  ["99.9", 0.999],
  ["", null],
])("the smallest change %j is %j", (text, share) => {
  expect(leastChangeOf(text)).toBe(share);
});

test.each(["0", "100", "-2", "2,5", "1e1", "Infinity", "two"])(
  "the smallest change %j is rejected",
  (text) => {
    expect(() => leastChangeOf(text)).toThrow("above 0 and below 100");
  },
);

test("the field of the smallest change has the percentage without rounding errors", () => {
  expect([0.07, 0.025, 0.012_34, null].map(percentOf)).toEqual(["7", "2.5", "1.234", ""]);
});

test("the tokens of a project include those for any project", () => {
  const token = (token_id: number, project: string | null) => ({ token_id, project }) as TokenSummary;
  const tokens = [token(1, "libfoo"), token(2, "other"), token(3, null)];
  expect(tokensOf(tokens, "libfoo").map(({ token_id }) => token_id)).toEqual([1, 3]);
});

test("the validity shows an expiry in the past", () => {
  const now = new Date("2026-11-24T12:00:00Z");
  expect(validity({ expires_at: null }, now)).toBe("no expiry");
  expect(validity({ expires_at: "2027-02-22T12:00:00Z" }, now)).toBe("until 22 Feb 2027");
  expect(validity({ expires_at: "2026-11-03T12:00:00Z" }, now)).toBe("expired 3 Nov 2026");
});

test("details of an event fit in a line", () => {
  expect(
    detailsText({
      visibility: { from: "public", to: "private" },
      scopes: ["read", "ingest:write"],
      machine: null,
      points_changed: 0,
    }),
  ).toBe("visibility: public to private; scopes: read, ingest:write; points changed: 0");
});

test("only the audit log has a cursor in the address", () => {
  expect(parseSettingsSearch({ section: "tokens", after: "abc" })).toEqual({ section: "tokens" });
  expect(parseSettingsSearch({ section: "audit", after: "abc" })).toEqual({ section: "audit", after: "abc" });
  expect(parseSettingsSearch({ section: "general" })).toEqual({});
  expect(parseSettingsSearch({ section: "odd" })).toEqual({});
});

it("describes a schedule in UTC", () => {
  expect(cronText("30 2 * * *")).toBe("At 02:30 UTC, every day");
  expect(cronText("0 4 * * 1-5")).toBe("At 04:00 UTC, Monday through Friday");
  expect(cronText("*/15 * * * *")).not.toContain("UTC");
});

it("has no description for an invalid schedule", () => {
  expect(cronText("30 2 * *")).toBeNull();
  expect(cronText("0 30 2 * * *")).toBeNull();
  expect(cronText("61 2 * * *")).toBeNull();
  expect(cronText("")).toBeNull();
});
