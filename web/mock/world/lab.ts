/** The lab of the mock: agents in every state, with queued, running and finished jobs. */
import type { AgentSummary, Attempt, CommitSummary, JobDetail, Schedule } from "@/api/types";
import { aJob, anAgent } from "@/test/fixtures";
import { after, SLOWER_AT } from "./commits";
import type { World } from "./world";

/** Agent contact is relative to the current time, unlike other data of the mock. */
const MINUTE_MS = 60_000;
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * MINUTE_MS).toISOString();

/** A busy agent, an offline one, and one without runs; `lab-arm-1` has no agent. */
export function agentsOf(): AgentSummary[] {
  return [
    anAgent({ agent_id: 1, labels: ["lab", "linux"], is_busy: true, job_id: 6, last_seen_at: inMinutes(0) }),
    anAgent({
      agent_id: 2,
      machine: "lab-mac-1",
      os: "macos",
      arch: "aarch64",
      labels: ["lab", "macos"],
      is_enabled: false,
      is_draining: true,
      is_busy: true,
      suspect: ["it runs on battery"],
      spooled_count: 3,
      last_seen_at: inMinutes(0),
    }),
    anAgent({
      agent_id: 3,
      machine: "lab-win-1",
      os: "windows",
      labels: ["lab"],
      is_online: false,
      is_enabled: false,
      failing: ["less than 1 GiB free in the build directory"],
      version: "0.0.9",
      last_seen_at: inMinutes(-190),
    }),
  ];
}

const attempt = (change: Partial<Attempt>): Attempt => ({
  fence: 11,
  machine: "lab-linux-1",
  started_at: "2026-11-23T09:00:00Z",
  ended_at: "2026-11-23T09:08:00Z",
  outcome: "done",
  reason: null,
  output: "",
  ...change,
});

/** Jobs, newest first. */
export function jobsOf(world: World): JobDetail[] {
  const { commits, runs, series } = world;
  const [at, before] = [commits[SLOWER_AT - 1], commits[SLOWER_AT - 2]];
  const [newest, last, first] = [commits.at(-1), commits.at(-2), series[0]];
  if (at === undefined || before === undefined || newest === undefined || last === undefined) return [];
  const done = first && world.runsOf(first).find(({ commit }) => commit.sha === before.sha);
  const job = (job_id: number, commit: CommitSummary, change: Partial<JobDetail>): JobDetail => ({
    ...aJob({
      job_id,
      commit_sha: commit.sha,
      commit_ordinal: commit.ordinal,
      branch: "main",
      regression_id: null,
      created_at: inMinutes(-30 + job_id),
    }),
    attempts: [],
    ...change,
  });
  const over = (minutes: number) => ({
    created_at: after(newest, minutes),
    done_at: after(newest, minutes + 12),
  });
  const asked = { requested_by: "account:ada", reason: "request" };
  return [
    job(10, newest, { ...asked, machine: null, labels: ["big-endian"], preset: "quick" }),
    job(9, newest, { ...asked, machine: "lab-mac-1", base_sha: at.sha }),
    job(8, at, { reason: "bisect", regression_id: 1, starts_at: inMinutes(12) }),
    job(7, at, { reason: "repeat", regression_id: 1, starts_at: inMinutes(4) }),
    job(6, newest, { reason: "push", status: "running", attempt: 1, started_at: inMinutes(-3) }),
    job(5, newest, {
      ...over(200),
      ...asked,
      reason: "pull-request",
      pull_request: 42,
      is_fork: true,
      status: "cancelled",
      branch: "change-42",
    }),
    job(4, last, {
      ...over(120),
      reason: "schedule",
      requested_by: "schedule:1",
      status: "failed",
      attempt: 2,
      failure: "build command failed with status 2",
      attempts: [
        attempt({ fence: 8, outcome: "lost", reason: "agent stopped responding" }),
        attempt({
          fence: 9,
          outcome: "failed",
          reason: "build command failed with status 2",
          output: BUILD_OUTPUT,
        }),
      ],
    }),
    job(2, before, {
      ...over(30),
      reason: "bisect",
      regression_id: 1,
      status: "done",
      attempt: 1,
      attempts: [attempt({ output: "measured 48 cases in 7 min 31 s\n" })],
      done_by_run_id: done?.run_id ?? runs[0]?.run_id ?? null,
    }),
  ];
}

const BUILD_OUTPUT = `$ cargo build --release
   Compiling libfoo v0.4.0 (/var/lib/roundtrip/work/libfoo)
error[E0425]: cannot find value \`slots\` in this scope
  --> src/ring.rs:118:20
    |
118 |         for slot in slots.iter() {
    |                     ^^^^^ help: a local variable with a similar name exists: \`slot\`

error: could not compile \`libfoo\` (lib) due to 1 previous error
`;

export const SCHEDULES: Schedule[] = [
  {
    schedule_id: 1,
    cron: "30 2 * * *",
    preset: "nightly",
    labels: ["lab"],
    created_by: "account:ada",
    next_at: inMinutes(900),
  },
];
