import type { AgentSummary, Job } from "@/api/types";

/** A job that waits. */
export function aJob(change: Partial<Job> = {}): Job {
  return {
    job_id: 1,
    machine: "lab-linux-1",
    commit_sha: "c".repeat(40),
    commit_ordinal: 28,
    labels: [],
    base_sha: null,
    branch: null,
    pull_request: null,
    is_fork: false,
    preset: null,
    reason: "bisect",
    regression_id: 9,
    requested_by: null,
    status: "queued",
    attempt: 0,
    created_at: "2026-11-24T10:01:00Z",
    starts_at: null,
    started_at: null,
    done_at: null,
    failure: null,
    done_by_run_id: null,
    ...change,
  };
}

/** An agent that is as it should be, and has nothing to do. */
export function anAgent(change: Partial<AgentSummary> = {}): AgentSummary {
  return {
    agent_id: 1,
    machine: "lab-linux-1",
    os: "linux",
    arch: "x86-64",
    project: null,
    labels: [],
    is_online: true,
    is_enabled: true,
    is_draining: false,
    failing: [],
    suspect: [],
    is_busy: false,
    job_id: null,
    spooled_count: 0,
    version: "0.1.0",
    enrolled_at: "2026-11-02T09:30:00Z",
    last_seen_at: "2026-11-24T11:59:30Z",
    ...change,
  };
}
