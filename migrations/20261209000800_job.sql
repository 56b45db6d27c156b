-- What is to be measured: agents that were let in, and the jobs they take under leases.

create table enrolment (
    enrolment_id bigint generated always as identity constraint enrolment_pkey primary key,
    code_sha256 bytea not null constraint enrolment_code_sha256_key unique,
    project text,
    machine text,
    labels text[] not null,
    created_by text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
comment on table enrolment is 'Codes with which agents are let in, each once.';
comment on column enrolment.enrolment_id is 'Internal key.';
comment on column enrolment.code_sha256 is 'SHA-256 of the code; it has 178 random bits, so no slow hash is needed.';
comment on column enrolment.project is 'The only project that the agent works for, by name, because it may not exist yet; null: any.';
comment on column enrolment.machine is 'The only machine that it is good for, whose agent of before it replaces; null: any that has no agent.';
comment on column enrolment.labels is 'What the agent is labelled with.';
comment on column enrolment.created_by is 'Who made it, as in the audit log.';
comment on column enrolment.created_at is 'When it was made.';
comment on column enrolment.expires_at is 'When it ceases to be valid.';
comment on column enrolment.used_at is 'When an agent was let in with it; null: not yet.';

create table agent (
    agent_id bigint generated always as identity constraint agent_pkey primary key,
    machine_id bigint not null constraint agent_machine_id_fkey references machine (machine_id),
    project text,
    labels text[] not null,
    public_key bytea not null,
    token_id bigint not null constraint agent_token_id_fkey references token (token_id),
    is_enabled boolean not null,
    enrolled_at timestamptz not null,
    revoked_at timestamptz,
    last_seen_at timestamptz not null,
    version text,
    failing text[] not null default '{}',
    suspect text[] not null default '{}',
    spooled_count integer not null default 0,
    challenge bytea,
    challenge_expires_at timestamptz
);
create unique index agent_machine_id_key on agent (machine_id) where revoked_at is null;
create index agent_machine_id_idx on agent (machine_id);
create unique index agent_token_id_key on agent (token_id);
comment on table agent is 'Agents: each measures on one machine what the queue asks for.';
comment on column agent.agent_id is 'Its number.';
comment on column agent.machine_id is 'Where it runs. One agent a machine.';
comment on column agent.project is 'The only project that it works for, by name; null: any.';
comment on column agent.labels is 'What it has, for jobs that ask for it.';
comment on column agent.public_key is 'Its Ed25519 public key. Whoever has the other half is given its tokens.';
comment on column agent.token_id is 'Its token.';
comment on column agent.is_enabled is 'Whether it is given jobs. One that is not finishes what it has: it drains.';
comment on column agent.enrolled_at is 'When it was let in.';
comment on column agent.revoked_at is 'When it was turned away; null: it was not.';
comment on column agent.last_seen_at is 'When it was last heard of.';
comment on column agent.version is 'Of its program, as it said last.';
comment on column agent.failing is 'Why it cannot measure, as it said last: it is given no jobs.';
comment on column agent.suspect is 'Why what it measures is doubtful, as it said last.';
comment on column agent.spooled_count is 'Reports that waited for this server when it was last heard of.';
comment on column agent.challenge is 'What it is to sign for its next token.';
comment on column agent.challenge_expires_at is 'Until when.';

create table job (
    job_id bigint generated always as identity constraint job_pkey primary key,
    project_id bigint not null constraint job_project_id_fkey references project (project_id),
    machine_id bigint constraint job_machine_id_fkey references machine (machine_id),
    reason text not null
        constraint job_reason_check
        check (reason in ('backfill', 'bisect', 'repeat', 'push', 'schedule', 'request', 'pull-request')),
    regression_id bigint constraint job_regression_id_fkey references regression (regression_id),
    created_at timestamptz not null,
    done_at timestamptz,
    done_by_run_id uuid,
    commit_sha text not null,
    base_sha text,
    branch text,
    pull_request bigint,
    is_fork boolean not null default false,
    preset text,
    labels text[] not null default '{}',
    requested_by text,
    -- A handful of values, which are no keys.
    -- squawk-ignore prefer-bigint-over-smallint
    priority smallint not null default 1,
    turn bigint not null default 0,
    status text not null default 'queued'
        constraint job_status_check check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
    -- squawk-ignore prefer-bigint-over-smallint
    attempt smallint not null default 0,
    fence bigint not null default 0,
    agent_id bigint,
    started_at timestamptz,
    lease_expires_at timestamptz,
    failure text,
    constraint job_done_at_check check ((done_at is null) = (status in ('queued', 'running'))),
    constraint job_lease_check check (
        status <> 'running' or (agent_id is not null and lease_expires_at is not null)
    )
)
-- A job is changed twice or three times in its life: with room on its page, where it is.
with (fillfactor = 70);
create index job_project_id_idx on job (project_id, job_id);
create index job_machine_id_idx on job (machine_id);
create index job_regression_id_idx on job (regression_id);
-- The same is asked for once at a time.
create unique index job_open_key on job (
    project_id, commit_sha, coalesce(base_sha, ''), coalesce(machine_id, 0), labels, coalesce(preset, '')
) where done_at is null;
-- The order in which they are taken.
create index job_queue_idx on job (priority desc, turn, job_id) where done_at is null;
create index job_pull_request_idx on job (project_id, pull_request, job_id) where pull_request is not null;
comment on table job is 'A commit that is to be measured on a machine.';
comment on column job.job_id is 'Its number.';
comment on column job.project_id is 'Of which project.';
comment on column job.machine_id is 'Where it is to be measured; null: on any machine that has the labels.';
comment on column job.reason is 'push, schedule, request (by a person), pull-request; backfill: all commits of a regression''s range; bisect: some that halve it; repeat: those that may have made it, again.';
comment on column job.regression_id is 'The regression whose culprit is looked for.';
comment on column job.created_at is 'When it was asked for.';
comment on column job.done_at is 'When it was done, failed or was cancelled; null while it is open.';
comment on column job.done_by_run_id is 'That run. No foreign key: runs are many, and this is only told.';
comment on column job.commit_sha is 'What is to be measured: full object name. The commit may not be stored yet.';
comment on column job.base_sha is 'What it is compared with, in pairs; null: it is measured by itself.';
comment on column job.branch is 'The branch that it is of, if it is of one.';
comment on column job.pull_request is 'The pull request that it is of, if it is of one.';
comment on column job.is_fork is 'Whether it comes from another repository: what is measured of it is quarantined.';
comment on column job.preset is 'What is measured of it; null: what its roundtrip.toml says.';
comment on column job.labels is 'What a machine must have to take it.';
comment on column job.requested_by is 'Who asked for it, as in the audit log; null: the server by itself.';
comment on column job.priority is 'The higher is taken first; it grows by one with each day of waiting.';
comment on column job.turn is 'Within a priority the lower is taken first: projects take turns (start-time fair queueing: Goyal, Vin, Cheng 1996).';
comment on column job.status is 'queued, running, done, failed (nobody tries again) or cancelled.';
comment on column job.attempt is 'How often an agent took it.';
comment on column job.fence is 'Grows with each lease: whoever holds an older one has lost the job.';
comment on column job.agent_id is 'Who has it, or had it last.';
comment on column job.started_at is 'When it was last taken.';
comment on column job.lease_expires_at is 'Until when whoever has it is waited for; null while nobody has it.';
comment on column job.failure is 'Why it failed, or did not get done the last time, in a sentence.';

create table job_attempt (
    job_id bigint not null constraint job_attempt_job_id_fkey references job (job_id) on delete cascade,
    fence bigint not null,
    agent_id bigint not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    outcome text not null,
    reason text,
    output text not null,
    constraint job_attempt_pkey primary key (job_id, fence),
    constraint job_attempt_outcome_check check (outcome in ('done', 'failed', 'released', 'lost'))
);
-- How long jobs took is read where it is written once, at their end.
create index job_attempt_done_idx on job_attempt (agent_id, ended_at) where outcome = 'done';
comment on table job_attempt is 'What became of each lease of a job.';
comment on column job_attempt.job_id is 'Of which job.';
comment on column job_attempt.fence is 'Of which lease.';
comment on column job_attempt.agent_id is 'Who had it.';
comment on column job_attempt.started_at is 'When it was taken.';
comment on column job_attempt.ended_at is 'When it was given back, or found to have expired.';
comment on column job_attempt.outcome is 'done, failed, released (given back by the agent), lost (its lease expired).';
comment on column job_attempt.reason is 'Why not done, in a sentence.';
comment on column job_attempt.output is 'The end of what the build and the programs printed.';

create table schedule (
    schedule_id bigint generated always as identity constraint schedule_pkey primary key,
    project_id bigint not null constraint schedule_project_id_fkey references project (project_id),
    cron text not null,
    preset text,
    labels text[] not null,
    created_by text not null,
    next_at timestamptz not null
);
create index schedule_project_id_idx on schedule (project_id);
comment on table schedule is 'Times at which the newest commit of a project is measured.';
comment on column schedule.schedule_id is 'Its number.';
comment on column schedule.project_id is 'Of which project.';
comment on column schedule.cron is 'When, in UTC: minute, hour, day of the month, month, day of the week.';
comment on column schedule.preset is 'What is measured; null: what its roundtrip.toml says.';
comment on column schedule.labels is 'On all machines that have these.';
comment on column schedule.created_by is 'Who made it, as in the audit log.';
comment on column schedule.next_at is 'When it is due next.';
