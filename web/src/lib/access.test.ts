import { describe, expect, it } from "vitest";
import { aSession } from "@/test/fixtures";
import { type Action, mayDelete, refusal, roleIn, standing } from "./access";

const ACTIONS: Action[] = ["queue", "configure", "manage-tokens", "manage-members", "delete", "run-server"];
const allowed = (session: ReturnType<typeof aSession>) =>
  ACTIONS.filter((action) => refusal(session, "libfoo", action) === null);

describe("what a session may do", () => {
  it("is empty without an account or a role in the project", () => {
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
    expect(refusal(aSession({ roles: { libfoo: "viewer" } }), "libfoo", "configure")).toBe(
      "your role is viewer",
    );
  });
  it("is limited by the token", () => {
    const narrow = aSession({ is_admin: true }, { scopes: ["read", "project:write"] });
    expect(allowed(narrow)).toEqual(ACTIONS.slice(0, 3));
    expect(refusal(narrow, "libfoo", "delete")).toContain("lacks the scope admin");
    const bound = aSession({ is_admin: true }, { project: "other" });
    expect(allowed(bound)).toEqual([]);
    expect(roleIn(bound, "libfoo")).toBeNull();
    expect(allowed(aSession({ is_admin: true }, { project: "libfoo" }))).toEqual(ACTIONS.slice(0, -1));
  });
});

it("describes the account and its role", () => {
  expect(standing(aSession(null), "libfoo")).toContain("Not signed in");
  expect(standing(aSession({ is_admin: true }), "libfoo")).toContain("server administrator");
  expect(standing(aSession({ roles: { libfoo: "viewer" } }), "libfoo")).toBe(
    "Signed in as ada, viewer of libfoo.",
  );
  expect(standing(aSession(), "libfoo")).toBe("Signed in as ada, not a member of libfoo.");
});

it("lets authors delete their texts, and maintainers all", () => {
  const [own, other] = ["account:ada", "account:ben"];
  const contributor = aSession({ roles: { libfoo: "contributor" } });
  expect([own, other].map((author) => mayDelete(author, contributor, "libfoo"))).toEqual([true, false]);
  const maintainer = aSession({ roles: { libfoo: "maintainer" } });
  expect(mayDelete(other, maintainer, "libfoo")).toBe(true);
  expect(mayDelete(own, aSession(null), "libfoo")).toBe(false);
});
