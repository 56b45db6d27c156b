/** What a session may do with a project, and why not. The rules are those of docs/reference/access.md. Pure. */
import type { Role, Scope, SessionInfo } from "@/api/types";

/** The roles: each may do what those before it may. */
export const ROLES: readonly Role[] = ["viewer", "contributor", "maintainer", "admin"];

export type Action = "queue" | "configure" | "manage-tokens" | "manage-members" | "delete" | "run-server";

type Rule = { role: Role; scope: Scope; who: string };

const RULES: Record<Exclude<Action, "run-server">, Rule> = {
  queue: { role: "contributor", scope: "project:write", who: "Contributors" },
  configure: { role: "maintainer", scope: "project:write", who: "Maintainers" },
  "manage-tokens": { role: "maintainer", scope: "project:write", who: "Maintainers" },
  "manage-members": { role: "admin", scope: "admin", who: "Admins of the project" },
  delete: { role: "admin", scope: "admin", who: "Admins of the project" },
};

/** What an account is in a project; `null` where it is nothing, and for who is not signed in. */
export function roleIn({ account, project: bound }: SessionInfo, project: string): Role | null {
  if (account === null || (bound !== null && bound !== project)) return null;
  return account.is_admin ? "admin" : (account.roles[project] ?? null);
}

/** Why somebody may not do something, as the end of a sentence that says who may; `null` when they may. */
export function refusal(session: SessionInfo, project: string, action: Action): string | null {
  if (session.account === null) return "you are not signed in";
  const scope = action === "run-server" ? "admin" : RULES[action].scope;
  if (session.project !== null && (session.project !== project || action === "run-server")) {
    return `the token that you signed in with is for ${session.project} alone`;
  }
  if (action === "run-server") {
    if (!session.account.is_admin) return "you are none";
  } else {
    const role = roleIn(session, project);
    if (role === null) return `you are no member of ${project}`;
    if (ROLES.indexOf(role) < ROLES.indexOf(RULES[action].role)) return `you are ${role}`;
  }
  return session.scopes.includes(scope) ? null : `the token that you signed in with is not for ${scope}`;
}

export function whoMay(action: Action): string {
  return action === "run-server" ? "Administrators of the server" : RULES[action].who;
}

export function standing(session: SessionInfo, project: string): string {
  const { account } = session;
  if (account === null) return "You are not signed in: you see what everybody sees.";
  if (account.is_admin && session.project === null) {
    return `You are ${account.name}, an administrator of this server.`;
  }
  const role = roleIn(session, project);
  return role === null
    ? `You are ${account.name}, no member of ${project}.`
    : `You are ${account.name}, ${role} of ${project}.`;
}
