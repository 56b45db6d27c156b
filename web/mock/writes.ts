/** The writes that the mock follows: what they change is seen until the server ends. All others are refused. */
import type { Channel, TokenSummary } from "@/api/types";
import { found, type Mocks, nothing } from "./endpoint";
import { LAB_WRITES, type LabWrites } from "./labWrites";
import { NOW, tell } from "./log";
import { detailOf } from "./world/changes";
import { hex } from "./world/noise";

type Followed = {
  patch: Mocks<"patch">;
  post: LabWrites["post"] &
    Pick<
      Mocks<"post">,
      | "/api/v1/links"
      | "/api/v1/projects/{project}/channels"
      | "/api/v1/projects/{project}/channels/{channel_id}/test"
      | "/api/v1/tokens"
      | "/api/v1/tokens/{token_id}/rotate"
    >;
  put: Pick<Mocks<"put">, "/api/v1/projects/{project}/members/{account}">;
  delete: LabWrites["delete"] &
    Pick<
      Mocks<"delete">,
      | "/api/v1/accounts/{account}"
      | "/api/v1/projects/{project}/channels/{channel_id}"
      | "/api/v1/projects/{project}/members/{account}"
      | "/api/v1/tokens/{token_id}"
    >;
};

export const WRITES: Followed = {
  patch: {
    ...LAB_WRITES.patch,
    "/api/v1/projects/{project}": (world, { path, body }) => {
      const settings = found(
        world.projects.find(({ project }) => project === path.project),
        "project",
        path.project,
      );
      if (body.default_branch !== undefined) settings.default_branch = body.default_branch;
      if (body.repository_url !== undefined) settings.repository_url = body.repository_url;
      if (body.fails_on_regression != null) settings.fails_on_regression = body.fails_on_regression;
      if (body.visibility != null) settings.visibility = body.visibility;
      tell(world, "project.change", `project:${path.project}`);
      return settings;
    },
    "/api/v1/projects/{project}/channels/{channel_id}": (world, { path: { channel_id }, body }) => {
      const at = world.channels.findIndex((entry) => entry.channel_id === Number(channel_id));
      const before = found(world.channels[at], "channel", channel_id);
      const { name, events, enabled } = body;
      const after: Channel = {
        ...before,
        name: name ?? before.name,
        events: events ?? before.events,
        enabled: enabled ?? before.enabled,
        disabled_because: enabled == null ? before.disabled_because : null,
      };
      world.channels[at] = after;
      tell(world, "channel.change", `channel:${channel_id}`);
      return after;
    },
    "/api/v1/projects/{project}/regressions/{regression_id}": (world, { path: { regression_id }, body }) => {
      const at = world.regressions.findIndex((entry) => entry.regression_id === Number(regression_id));
      const before = found(world.regressions[at], "regression", regression_id);
      const { state, ...others } = body;
      const after = { ...before, ...others, state: state ?? before.state, updated_at: NOW };
      world.regressions[at] = after;
      tell(world, "regression.change", `regression:${regression_id}`);
      return detailOf(world, after);
    },
  },
  post: {
    ...LAB_WRITES.post,
    "/api/v1/links": () => ({ code: "0123456789", url: "/l/0123456789" }),
    "/api/v1/projects/{project}/channels": (world, { body: { name, kind, target, events } }) => {
      const channel_id = Math.max(0, ...world.channels.map((entry) => entry.channel_id)) + 1;
      const channel: Channel = {
        channel_id,
        name,
        kind,
        target: kind === "email" ? target : `${target.split("/")[2]}/…`,
        events: events ?? ["regressed"],
        enabled: true,
        disabled_because: null,
        last_success_at: null,
        last_failure_at: null,
        failure: null,
        created_by: `account:${world.session.account?.name ?? "nobody"}`,
        created_at: NOW,
      };
      world.channels = [...world.channels, channel].sort((one, other) => (one.name < other.name ? -1 : 1));
      tell(world, "channel.create", `channel:${channel_id}`);
      return { channel, secret: kind === "webhook" ? "whsec_this-signs-nothing" : null };
    },
    "/api/v1/projects/{project}/channels/{channel_id}/test": (world, { path: { channel_id } }) => {
      const at = world.channels.findIndex((entry) => entry.channel_id === Number(channel_id));
      world.channels[at] = { ...found(world.channels[at], "channel", channel_id), last_success_at: NOW };
      return { delivered: true, detail: "The message was taken." };
    },
    "/api/v1/tokens": (world, { body }) => {
      const { kind, name, machine, project, scopes, expires_in_days } = body;
      const token_id = Math.max(0, ...world.tokens.map((token) => token.token_id)) + 1;
      const token: TokenSummary = {
        token_id,
        name,
        kind,
        prefix: `${PREFIXES[kind]}_${hex(6, token_id)}`,
        account: kind === "user" ? (world.session.account?.name ?? null) : null,
        machine: machine ?? null,
        project: project ?? null,
        scopes: scopes ?? (kind === "agent" ? ["ingest:write"] : ["read", "ingest:write"]),
        created_at: NOW,
        expires_at: expires_in_days === null ? null : "2027-02-22T12:00:00Z",
        last_used_at: null,
        rotated_at: null,
        previous_expires_at: null,
      };
      world.tokens.push(token);
      tell(world, "token.create", `token:${token_id}`);
      return { token, secret: secretOf(token) };
    },
    "/api/v1/tokens/{token_id}/rotate": (world, { path: { token_id } }) => {
      const token = found(
        world.tokens.find((entry) => entry.token_id === Number(token_id)),
        "token",
        token_id,
      );
      token.rotated_at = NOW;
      token.previous_expires_at = "2026-11-25T12:00:00Z";
      tell(world, "token.rotate", `token:${token_id}`);
      return { token, secret: secretOf(token) };
    },
  },
  put: {
    "/api/v1/projects/{project}/members/{account}": (world, { path: { account }, body }) => {
      const others = world.members.filter((member) => member.account !== account);
      world.members = [...others, { account, role: body.role, created_at: NOW }];
      tell(world, "member.put", `account:${account}`);
      return nothing();
    },
  },
  delete: {
    ...LAB_WRITES.delete,
    "/api/v1/accounts/{account}": (world, { path: { account } }) => {
      world.accounts = world.accounts.filter(({ name }) => name !== account);
      world.members = world.members.filter((member) => member.account !== account);
      tell(world, "account.delete", `account:${account}`);
      return nothing();
    },
    "/api/v1/projects/{project}/channels/{channel_id}": (world, { path: { channel_id } }) => {
      world.channels = world.channels.filter((channel) => channel.channel_id !== Number(channel_id));
      tell(world, "channel.delete", `channel:${channel_id}`);
      return nothing();
    },
    "/api/v1/projects/{project}/members/{account}": (world, { path: { account } }) => {
      world.members = world.members.filter((member) => member.account !== account);
      tell(world, "member.delete", `account:${account}`);
      return nothing();
    },
    "/api/v1/tokens/{token_id}": (world, { path: { token_id } }) => {
      world.tokens = world.tokens.filter((token) => token.token_id !== Number(token_id));
      tell(world, "token.delete", `token:${token_id}`);
      return nothing();
    },
  },
};

const PREFIXES = { user: "rtu", agent: "rta", ci: "rtc" };

/** A secret that opens nothing. */
const secretOf = ({ prefix }: TokenSummary) => `${prefix}-this-opens-nothing`;
