/** Accounts, members, tokens, channels and audit events of the mock. */
import type {
  AccountSummary,
  AuditEvent,
  Channel,
  Member,
  SessionInfo,
  TimelineEntry,
  TokenSummary,
} from "@/api/types";
import { aChannel, aToken } from "@/test/fixtures";

const DAY = (day: number) => `2026-11-${String(day).padStart(2, "0")}T09:30:00Z`;

/** An administrator is signed in, so that pages show all actions. */
export const SESSION: SessionInfo = {
  account: { name: "ada", is_admin: true, roles: { libfoo: "admin" } },
  has_github: true,
  is_private: false,
  project: null,
  scopes: ["read", "ingest:write", "project:write", "admin"],
};

export const STRANGER: SessionInfo = { ...SESSION, account: null, is_private: true, scopes: [] };

export const ACCOUNTS: AccountSummary[] = [
  { name: "ada", github_login: "ada-okafor", is_admin: true, created_at: DAY(2) },
  { name: "ben", github_login: "ben-lindqvist", is_admin: false, created_at: DAY(3) },
  { name: "nightly", github_login: null, is_admin: false, created_at: DAY(5) },
];

export const MEMBERS: Member[] = [
  { account: "ada", role: "admin", created_at: DAY(2) },
  { account: "ben", role: "contributor", created_at: DAY(3) },
];

export const TOKENS: TokenSummary[] = [
  aToken({ last_used_at: DAY(24) }),
  aToken({
    token_id: 2,
    name: "continuous integration",
    kind: "ci",
    prefix: "rtc_9aLm0Q",
    machine: null,
    scopes: ["read", "ingest:write"],
    expires_at: "2027-02-20T09:30:00Z",
    last_used_at: DAY(24),
    rotated_at: DAY(20),
    previous_expires_at: DAY(27),
  }),
  aToken({
    token_id: 3,
    name: "laptop",
    kind: "user",
    prefix: "rtu_7hTb5W",
    account: "ada",
    machine: null,
    project: null,
    scopes: ["read", "ingest:write", "project:write"],
  }),
];

export const CHANNELS: Channel[] = [
  aChannel({
    channel_id: 2,
    name: "bug tracker",
    kind: "webhook",
    target: "bugs.example.org/…4c1e",
    events: ["regressed"],
    enabled: false,
    disabled_because: "it rejected 5 messages in a row, the last one with: status 410: gone",
    last_success_at: DAY(23),
    last_failure_at: DAY(22),
    failure: "status 410: gone",
  }),
  aChannel({ channel_id: 3, name: "lab", kind: "email", target: "lab@example.org", events: ["machine"] }),
  aChannel({ last_success_at: DAY(23) }),
];

/** Comments and triage, by regression. */
export const TIMELINES: Map<number, TimelineEntry[]> = new Map([
  [
    2,
    [
      {
        happened_at: DAY(19),
        actor: "account:ada",
        comment: null,
        changes: [
          { field: "state", from: "new", to: "acknowledged" },
          { field: "assignee", from: null, to: "ada" },
        ],
      },
      {
        happened_at: DAY(20),
        actor: "account:ben",
        comment: {
          comment_id: 1,
          created_by: "account:ben",
          text: "Expected: the ring no longer copies.",
          created_at: DAY(20),
        },
        changes: [],
      },
    ],
  ],
]);

const ACTIONS: [string, string, string, AuditEvent["details"]][] = [
  ["token.rotate", "account:ada", "token:2", {}],
  ["regression.change", "account:ada", "regression:2", {}],
  ["member.put", "account:ada", "project:libfoo", {}],
  ["token.create", "account:ada", "token:3", {}],
  ["account.create", "command-line", "account:nightly", {}],
];

export const AUDIT: AuditEvent[] = ACTIONS.map(([action, actor, subject, details], index) => ({
  action,
  actor,
  subject,
  details,
  happened_at: DAY(20 - index),
  request_id: actor === "command-line" ? null : `01JD${index}MOCK`,
}));
