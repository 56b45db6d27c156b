/** Permissions of a session in a project, as in docs/reference/access.md. Pure. */
import type { Role, Scope, SessionInfo } from "@/api/types";

/** The roles, in ascending order: each includes the permissions of the one before. */
export const ROLES: readonly Role[] = ["viewer", "contributor", "maintainer", "admin"];

export type Action = "queue" | "configure" | "manage-tokens" | "manage-members" | "delete" | "run-server";

type Rule = { role: Role; scope: Scope; who: string };

const RULES: Record<Exclude<Action, "run-server">, Rule> = {
  queue: { role: "contributor", scope: "project:write", who: "contributors" },
  configure: { role: "maintainer", scope: "project:write", who: "maintainers" },
  "manage-tokens": { role: "maintainer", scope: "project:write", who: "maintainers" },
  "manage-members": { role: "admin", scope: "admin", who: "project admins" },
  delete: { role: "admin", scope: "admin", who: "project admins" },
};

/** The role of the account in a project; `null` if it has none, or is not signed in. */
export function roleIn({ account, project: bound }: SessionInfo, project: string): Role | null {
  if (account === null || (bound !== null && bound !== project)) return null;
  return account.is_admin ? "admin" : (account.roles[project] ?? null);
}

/** Why an action is not allowed, as a clause; `null` if it is allowed. */
export function refusal(session: SessionInfo, project: string, action: Action): string | null {
  if (session.account === null) return "you are not signed in";
  const scope = action === "run-server" ? "admin" : RULES[action].scope;
  if (session.project !== null && (session.project !== project || action === "run-server")) {
    return `your token is only for ${session.project}`;
  }
  if (action === "run-server") {
    if (!session.account.is_admin) return "you are not an administrator";
  } else {
    const role = roleIn(session, project);
    if (role === null) return `you are not a member of ${project}`;
    if (ROLES.indexOf(role) < ROLES.indexOf(RULES[action].role)) return `your role is ${role}`;
  }
  return session.scopes.includes(scope) ? null : `your token lacks the scope ${scope}`;
}

/** Whether the session may delete a note or comment: its own, or any as a maintainer. */
export function mayDelete(author: string, session: SessionInfo, project: string): boolean {
  const isOwn = author === `account:${session.account?.name}`;
  return refusal(session, project, isOwn ? "queue" : "configure") === null;
}

export function whoMay(action: Action): string {
  return action === "run-server" ? "server administrators" : RULES[action].who;
}

export function standing(session: SessionInfo, project: string): string {
  const { account } = session;
  if (account === null) return "Not signed in: public data only.";
  if (account.is_admin && session.project === null) {
    return `Signed in as ${account.name}, server administrator.`;
  }
  const role = roleIn(session, project);
  return role === null
    ? `Signed in as ${account.name}, not a member of ${project}.`
    : `Signed in as ${account.name}, ${role} of ${project}.`;
}
