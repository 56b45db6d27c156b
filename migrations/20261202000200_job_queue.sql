-- Jobs are a queue: asked for by whatever starts a measurement, taken by agents under a lease.
--
-- Jobs of before are of one machine and of a commit that is stored. A server of before does not know the new columns: it is to
-- be stopped first. No version of before was released.

alter table job drop constraint job_reason_check;
alter table job
    -- A server of before asks for jobs of one machine, which it finds as ever.
    -- squawk-ignore ban-drop-not-null
    alter column machine_id drop not null,
    -- squawk-ignore ban-drop-not-null
    alter column commit_id drop not null,
    add column commit_sha text,
    add column base_sha text,
    add column branch text,
    add column pull_request bigint,
    add column is_fork boolean not null default false,
    add column preset text,
    add column labels text[] not null default '{}',
    add column requested_by text,
    -- A handful of values, which are no keys.
    -- squawk-ignore prefer-bigint-over-smallint
    add column priority smallint not null default 1,
    add column turn bigint not null default 0,
    add column status text not null default 'queued',
    -- squawk-ignore prefer-bigint-over-smallint
    add column attempt smallint not null default 0,
    add column fence bigint not null default 0,
    add column agent_id bigint,
    add column started_at timestamptz,
    add column lease_expires_at timestamptz,
    add column failure text;
update job set commit_sha = commit.sha, status = case when job.done_at is null then 'queued' else 'done' end
from commit where commit.commit_id = job.commit_id;
alter table job
    add constraint job_commit_sha_check check (commit_sha is not null) not valid,
    add constraint job_reason_check check (
        reason in ('backfill', 'bisect', 'repeat', 'push', 'schedule', 'request', 'pull-request')
    ) not valid,
    add constraint job_status_check check (status in ('queued', 'running', 'done', 'failed', 'cancelled')) not valid,
    add constraint job_done_at_check check ((done_at is null) = (status in ('queued', 'running'))) not valid,
    add constraint job_lease_check check (
        status <> 'running' or (agent_id is not null and lease_expires_at is not null)
    ) not valid;
comment on table job is 'A commit that is to be measured on a machine.';
comment on column job.machine_id is 'Where it is to be measured; null: on any machine that has the labels.';
comment on column job.commit_sha is 'What is to be measured: full object name. The commit may not be stored yet.';
comment on column job.base_sha is 'What it is compared with, in pairs; null: it is measured by itself.';
comment on column job.branch is 'The branch that it is of, if it is of one.';
comment on column job.pull_request is 'The pull request that it is of, if it is of one.';
comment on column job.is_fork is 'Whether it comes from another repository: what is measured of it is quarantined.';
comment on column job.preset is 'What is measured of it; null: what its roundtrip.toml says.';
comment on column job.labels is 'What a machine must have to take it.';
comment on column job.reason is 'push, schedule, request (by a person), pull-request; backfill: all commits of a regression''s range; bisect: some that halve it; repeat: those that may have made it, again.';
comment on column job.requested_by is 'Who asked for it, as in the audit log; null: the server by itself.';
comment on column job.priority is 'The higher is taken first; it grows by one with each day of waiting.';
comment on column job.turn is 'Within a priority the lower is taken first: projects take turns (start-time fair queueing: Goyal, Vin, Cheng 1996).';
comment on column job.status is 'queued, running, done, failed (nobody tries again) or cancelled.';
comment on column job.attempt is 'How often an agent took it.';
comment on column job.fence is 'Grows with each lease: whoever holds an older one has lost the job.';
comment on column job.agent_id is 'Who has it, or had it last.';
comment on column job.started_at is 'When it was last taken.';
comment on column job.lease_expires_at is 'Until when whoever has it is waited for; null while nobody has it.';
comment on column job.done_at is 'When it was done, failed or was cancelled; null while it is open.';
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
