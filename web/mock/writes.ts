/** The implemented writes. Changes last until the server stops. All other writes are rejected. */
import type { Channel, Regression, RegressionChange, TimelineEntry, TokenSummary } from "@/api/types";
import { aChannel, aJob, aToken } from "@/test/fixtures";
import { created, entryWith, found, nothing, Refusal, type Writes } from "./endpoint";
import { detailOf } from "./world/changes";
import { hex } from "./world/commits";
import type { World } from "./world/world";

/** The time of all changes: the mock has no clock. */
const NOW = "2026-11-24T12:00:00Z";
const PREFIXES = { user: "rtu", agent: "rta", ci: "rtc" };

/** The error for an invalid request. */
const wrong = (name: string, detail: string) =>
  new Refusal(400, "invalid-parameter", "Something in the request is wrong", `parameter ${name}: ${detail}`);

const actorOf = ({ session }: World): string => `account:${session.account?.name ?? "nobody"}`;

/** Adds an audit event: the words of the address, and its last parameter. */
export function log(world: World, method: string, pattern: string, params: object): void {
  const names = pattern.split("/").filter((part) => !/^$|^api$|^v1$|^\{/.test(part));
  world.audit.unshift({
    action: `${names.slice(-2).join(".")}.${method}`,
    actor: actorOf(world),
    subject: Object.values(params).at(-1) ?? "",
    details: {},
    happened_at: NOW,
    request_id: "01JDMOCK",
  });
}

const nextOf = <Key extends string>(entries: Record<Key, number>[], key: Key): number =>
  Math.max(0, ...entries.map((entry) => entry[key])) + 1;

const secretOf = ({ prefix }: TokenSummary) => `${prefix}-this-opens-nothing`;

function addToTimeline(
  world: World,
  regression_id: number,
  entry: Pick<TimelineEntry, "comment" | "changes">,
): void {
  const entries = world.timelines.get(regression_id) ?? [];
  world.timelines.set(regression_id, [
    ...entries,
    { happened_at: new Date().toISOString(), actor: actorOf(world), ...entry },
  ]);
}

/** The changed fields; without the texts of notes and issue links. */
function changedFields(before: Regression, after: Regression, fields: (keyof RegressionChange)[]) {
  const shown = (field: keyof RegressionChange, of: Regression) =>
    field === "note" || field === "bug_url" ? null : of[field];
  return fields
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ field, from: shown(field, before), to: shown(field, after) }));
}

function withoutNulls<Change extends object>(change: Change) {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [Key in keyof Change]: NonNullable<Change[Key]> };
}

export const WRITES = {
  patch: {
    "/api/v1/agents/{agent_id}": (world, { path: { agent_id }, body }) => {
      const agent = Object.assign(entryWith(world.agents, "agent_id", agent_id), withoutNulls(body));
      agent.is_draining = agent.is_busy && !agent.is_enabled;
      return agent;
    },
    "/api/v1/projects/{project}": (world, { path: { project }, body }) => {
      const settings = entryWith(world.projects, "project", project);
      const { default_branch, repository_url, commit_url, least_change, ...rest } = body;
      if (default_branch !== undefined) settings.default_branch = default_branch;
      if (repository_url !== undefined) settings.repository_url = repository_url;
      if (commit_url !== undefined) settings.commit_url = commit_url;
      if (least_change !== undefined) settings.least_change = least_change;
      return Object.assign(settings, withoutNulls(rest));
    },
    "/api/v1/projects/{project}/channels/{channel_id}": (world, { path: { channel_id }, body }) => {
      const channel = entryWith(world.channels, "channel_id", channel_id);
      if (body.enabled != null) channel.disabled_because = null;
      return Object.assign(channel, withoutNulls(body));
    },
    "/api/v1/projects/{project}/regressions/{regression_id}": (world, { path: { regression_id }, body }) => {
      const regression = entryWith(world.regressions, "regression_id", regression_id);
      const { state, ...others } = body;
      const before = { ...regression };
      Object.assign(regression, others, { state: state ?? regression.state, updated_at: NOW });
      const changes = changedFields(before, regression, Object.keys(body) as (keyof RegressionChange)[]);
      addToTimeline(world, regression.regression_id, { comment: null, changes });
      return detailOf(world, regression);
    },
  },
  post: {
    "/api/v1/enrolments": () => {
      const expires_at = new Date(Date.now() + 600_000).toISOString();
      return created({ code: "rte_this-opens-nothing", expires_at });
    },
    "/api/v1/links": ({ session }) => {
      if (session.account === null)
        throw new Refusal(401, "unauthenticated", "Not signed in", "not signed in");
      return { code: "0123456789", url: "/l/0123456789" };
    },
    "/api/v1/projects": (world, { body: { project, ...settings } }) => {
      if (world.projects.some((entry) => entry.project === project)) {
        throw new Refusal(409, "taken", "Name already in use", `project ${project} already exists`);
      }
      const usual = {
        visibility: "public" as const,
        default_branch: null,
        repository_url: null,
        commit_url: null,
        least_change: null,
      };
      const made = { project, ...usual, ...withoutNulls(settings), fails_on_regression: false };
      world.projects.push(made);
      return created(made);
    },
    "/api/v1/projects/{project}/channels": (world, { body: { name, kind, target, events } }) => {
      const channel: Channel = aChannel({
        channel_id: nextOf(world.channels, "channel_id"),
        name,
        kind,
        target: kind === "email" ? target : `${target.split("/")[2]}/…`,
        events: events ?? ["regressed"],
        created_by: actorOf(world),
        created_at: NOW,
      });
      world.channels = [...world.channels, channel].sort((one, other) => (one.name < other.name ? -1 : 1));
      return { channel, secret: kind === "webhook" ? "whsec_this-signs-nothing" : null };
    },
    "/api/v1/projects/{project}/channels/{channel_id}/test": (world, { path: { channel_id } }) => {
      entryWith(world.channels, "channel_id", channel_id).last_success_at = NOW;
      return { delivered: true, detail: "Delivered." };
    },
    "/api/v1/projects/{project}/jobs": (world, { body }) => {
      if (body.preset === "..")
        throw wrong("preset", "expected the name of a preset, or a path within the repository");
      const commits = body.until == null ? (body.commits ?? []) : [body.until];
      if (commits.length === 0) throw wrong("commits", "expected 1 to 1000 commits, or `after` and `until`");
      const able = world.agents.map(({ machine }) => machine);
      const machines = body.on_any ? [null] : (body.machines ?? able);
      const job_ids = machines.flatMap((machine) =>
        commits.map((commit_sha) => {
          const job = aJob({
            job_id: nextOf(world.jobs, "job_id"),
            commit_sha,
            machine,
            commit_ordinal: world.commit(commit_sha)?.ordinal ?? null,
            labels: machine === null ? (body.labels ?? []) : [],
            base_sha: body.base ?? null,
            preset: body.preset ?? null,
            pull_request: body.pull_request ?? null,
            reason: body.pull_request == null ? "request" : "pull-request",
            regression_id: null,
            requested_by: actorOf(world),
            created_at: new Date().toISOString(),
          });
          world.jobs.unshift({ ...job, attempts: [] });
          return job.job_id;
        }),
      );
      return created({ job_ids });
    },
    "/api/v1/projects/{project}/commits/{sha}/notes": (world, { path: { sha }, body: { text } }) => {
      const commit = found(world.commit(sha), "commit", sha);
      if (text.trim() === "") throw wrong("text", "0 characters: expected 1 to 2000");
      const note = {
        note_id: nextOf(world.notes, "note_id"),
        commit: { sha: commit.sha, ordinal: commit.ordinal },
        text,
        created_by: actorOf(world),
        created_at: new Date().toISOString(),
      };
      world.notes.unshift(note);
      return created(note);
    },
    "/api/v1/projects/{project}/regressions/{regression_id}/comments": (world, { path, body: { text } }) => {
      const { regression_id } = entryWith(world.regressions, "regression_id", path.regression_id);
      if (text.trim() === "") throw wrong("text", "0 characters: expected 1 to 4000");
      const comments = [...world.timelines.values()].flat().flatMap(({ comment }) => comment ?? []);
      const comment = {
        comment_id: nextOf(comments, "comment_id"),
        created_by: actorOf(world),
        text: text.trim(),
        created_at: NOW,
      };
      addToTimeline(world, regression_id, { comment, changes: [] });
      return created(comment);
    },
    "/api/v1/projects/{project}/schedules": (world, { body: { cron, preset, labels } }) => {
      if (cron.trim().split(/\s+/).length !== 5)
        throw wrong("cron", `\`${cron}\` is not a schedule: expected five fields`);
      const schedule = {
        schedule_id: nextOf(world.schedules, "schedule_id"),
        cron,
        preset: preset ?? null,
        labels: labels ?? [],
        created_by: actorOf(world),
        next_at: new Date(Date.now() + 3_600_000).toISOString(),
      };
      world.schedules.push(schedule);
      return created(schedule);
    },
    "/api/v1/tokens": (world, { body: { kind, name, machine, project, scopes, expires_in_days } }) => {
      const token_id = nextOf(world.tokens, "token_id");
      const token = aToken({
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
      });
      world.tokens.push(token);
      return { token, secret: secretOf(token) };
    },
    "/api/v1/tokens/{token_id}/rotate": (world, { path: { token_id } }) => {
      const token = entryWith(world.tokens, "token_id", token_id);
      Object.assign(token, { rotated_at: NOW, previous_expires_at: "2026-11-25T12:00:00Z" });
      return { token, secret: secretOf(token) };
    },
  },
  put: {
    "/api/v1/projects/{project}/members/{account}": (world, { path: { account }, body }) => {
      const others = world.members.filter((member) => member.account !== account);
      world.members = [...others, { account, role: body.role, created_at: NOW }];
      return nothing();
    },
  },
  delete: {
    "/api/v1/accounts/{account}": (world, { path: { account } }) => {
      world.accounts = world.accounts.filter(({ name }) => name !== account);
      world.members = world.members.filter((member) => member.account !== account);
      return nothing();
    },
    "/api/v1/agents/{agent_id}": (world, { path: { agent_id } }) => {
      const turned = entryWith(world.agents, "agent_id", agent_id);
      world.agents = world.agents.filter((agent) => agent !== turned);
      return nothing();
    },
    "/api/v1/projects/{project}/channels/{channel_id}": (world, { path: { channel_id } }) => {
      world.channels = world.channels.filter((channel) => channel.channel_id !== Number(channel_id));
      return nothing();
    },
    "/api/v1/projects/{project}/jobs/{job_id}": (world, { path: { job_id } }) => {
      const job = entryWith(world.jobs, "job_id", job_id);
      if (job.done_at !== null) return nothing();
      Object.assign(job, { status: "cancelled", starts_at: null, done_at: new Date().toISOString() });
      return nothing();
    },
    "/api/v1/projects/{project}/members/{account}": (world, { path: { account } }) => {
      world.members = world.members.filter((member) => member.account !== account);
      return nothing();
    },
    "/api/v1/projects/{project}/notes/{note_id}": (world, { path: { note_id } }) => {
      const deleted = entryWith(world.notes, "note_id", note_id);
      world.notes = world.notes.filter((note) => note !== deleted);
      return nothing();
    },
    "/api/v1/projects/{project}/regressions/{regression_id}/comments/{comment_id}": (world, { path }) => {
      const id = Number(path.regression_id);
      const entries = world.timelines.get(id) ?? [];
      const isOther = ({ comment }: TimelineEntry) => comment?.comment_id !== Number(path.comment_id);
      world.timelines.set(id, entries.filter(isOther));
      return nothing();
    },
    "/api/v1/projects/{project}/schedules/{schedule_id}": (world, { path: { schedule_id } }) => {
      world.schedules = world.schedules.filter((schedule) => schedule.schedule_id !== Number(schedule_id));
      return nothing();
    },
    "/api/v1/tokens/{token_id}": (world, { path: { token_id } }) => {
      world.tokens = world.tokens.filter((token) => token.token_id !== Number(token_id));
      return nothing();
    },
  },
} satisfies Writes;
