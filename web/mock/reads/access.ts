/** Who asks, and who may do what. */
import { type Mocks, Plain, page } from "../endpoint";

type Path =
  | "/api/v1/accounts"
  | "/api/v1/audit"
  | "/api/v1/projects/{project}/channels"
  | "/api/v1/projects/{project}/members"
  | "/api/v1/projects/{project}/oidc-trusts"
  | "/api/v1/session"
  | "/api/v1/tokens"
  | "/auth/github"
  | "/auth/github/callback";

export const access: Pick<Mocks<"get">, Path> = {
  "/api/v1/accounts": (world, { query }) => {
    const { entries: accounts, next_after } = page(world.accounts, query);
    return { accounts, next_after };
  },
  "/api/v1/audit": (world, { query }) => {
    const { entries: events, next_after } = page(world.audit, query);
    return { events, next_after };
  },
  "/api/v1/projects/{project}/channels": (world, { path }) => ({
    channels: world.has(path.project) ? world.channels : [],
    kinds: ["slack", "webhook", "email"],
  }),
  "/api/v1/projects/{project}/members": (world, { path, query }) => {
    const { entries: members, next_after } = page(world.has(path.project) ? world.members : [], query);
    return { members, next_after };
  },
  "/api/v1/session": ({ session }) => session,
  // No page shows them.
  "/api/v1/projects/{project}/oidc-trusts": () => ({ trusts: [], next_after: null }),

  "/api/v1/tokens": (world, { query }) => {
    const { entries: tokens, next_after } = page(world.tokens, query);
    return { tokens, next_after };
  },
  // There is no GitHub behind it: whoever signs in comes back signed in.
  "/auth/github": (_, { query }) => new Plain(303, { location: query.to ?? "/" }),
  "/auth/github/callback": () => new Plain(303, { location: "/" }),
};
