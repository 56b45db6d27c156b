/** Sessions, accounts, members and tokens. */
import { listed, type Mocks, redirect } from "../endpoint";

export const access = {
  "/api/v1/accounts": (world, { query }) => listed("accounts", world.accounts, query),
  "/api/v1/audit": (world, { query }) => listed("events", world.audit, query),
  "/api/v1/projects/{project}/channels": (world, { path }) => ({
    channels: world.has(path.project) ? world.channels : [],
    kinds: ["slack", "webhook", "email"],
  }),
  "/api/v1/projects/{project}/members": (world, { path, query }) =>
    listed("members", world.has(path.project) ? world.members : [], query),
  "/api/v1/session": ({ session }) => session,
  "/api/v1/tokens": (world, { query }) => listed("tokens", world.tokens, query),
  // Mocks signing in with GitHub: always succeeds.
  "/auth/github": (_, { query }) => redirect(303, query.to ?? "/"),
  // The mock stores no links: all lead to the start page.
  "/l/{code}": () => redirect(302, "/"),
} satisfies Partial<Mocks<"get">>;
