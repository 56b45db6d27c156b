import { describe, expect, it } from "vitest";
import { aSession } from "@/test/fixtures";
import { type Action, refusal, roleIn, standing } from "./access";

const ACTIONS: Action[] = ["queue", "configure", "manage-tokens", "manage-members", "delete", "run-server"];
const allowed = (session: ReturnType<typeof aSession>) =>
  ACTIONS.filter((action) => refusal(session, "libfoo", action) === null);

describe("what a session may do", () => {
  it("is nothing for strangers, and for members of other projects", () => {
    expect(allowed(aSession(null))).toEqual([]);
    expect(refusal(aSession(null), "libfoo", "configure")).toBe("you are not signed in");
    expect(allowed(aSession({ roles: { other: "admin" } }))).toEqual([]);
  });
  it("grows with the role", () => {
    expect(allowed(aSession({ roles: { libfoo: "viewer" } }))).toEqual([]);
    expect(allowed(aSession({ roles: { libfoo: "contributor" } }))).toEqual(["queue"]);
    expect(allowed(aSession({ roles: { libfoo: "maintainer" } }))).toEqual(ACTIONS.slice(0, 3));
    expect(allowed(aSession({ roles: { libfoo: "admin" } }))).toEqual(ACTIONS.slice(0, -1));
    expect(allowed(aSession({ is_admin: true }))).toEqual(ACTIONS);
    expect(refusal(aSession({ roles: { libfoo: "viewer" } }), "libfoo", "configure")).toBe("you are viewer");
  });
  it("ends where the token that began it does", () => {
    const narrow = aSession({ is_admin: true }, { scopes: ["read", "project:write"] });
    expect(allowed(narrow)).toEqual(ACTIONS.slice(0, 3));
    expect(refusal(narrow, "libfoo", "delete")).toContain("is not for admin");
    const bound = aSession({ is_admin: true }, { project: "other" });
    expect(allowed(bound)).toEqual([]);
    expect(roleIn(bound, "libfoo")).toBeNull();
    expect(allowed(aSession({ is_admin: true }, { project: "libfoo" }))).toEqual(ACTIONS.slice(0, -1));
  });
});

it("says what somebody is here", () => {
  expect(standing(aSession(null), "libfoo")).toContain("not signed in");
  expect(standing(aSession({ is_admin: true }), "libfoo")).toContain("administrator of this server");
  expect(standing(aSession({ roles: { libfoo: "viewer" } }), "libfoo")).toBe(
    "You are ada, viewer of libfoo.",
  );
  expect(standing(aSession(), "libfoo")).toBe("You are ada, no member of libfoo.");
});
