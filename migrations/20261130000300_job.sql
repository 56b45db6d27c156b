-- What is to be measured: requests to agents.

create table job (
    job_id bigint generated always as identity constraint job_pkey primary key,
    project_id bigint not null constraint job_project_id_fkey references project (project_id),
    machine_id bigint not null constraint job_machine_id_fkey references machine (machine_id),
    commit_id bigint not null constraint job_commit_id_fkey references commit (commit_id),
    reason text not null constraint job_reason_check check (reason in ('backfill', 'bisect')),
    regression_id bigint constraint job_regression_id_fkey references regression (regression_id),
    created_at timestamptz not null,
    done_at timestamptz,
    done_by_run_id uuid
);
-- One commit is asked of a machine once at a time.
create unique index job_waiting_key on job (machine_id, commit_id) where done_at is null;
create index job_project_id_idx on job (project_id, job_id);
create index job_machine_id_idx on job (machine_id);
create index job_commit_id_idx on job (commit_id);
create index job_regression_id_idx on job (regression_id);
comment on table job is 'A commit that a machine is asked to measure.';
comment on column job.job_id is 'Its number.';
comment on column job.project_id is 'Of which project.';
comment on column job.machine_id is 'Where it is to be measured.';
comment on column job.commit_id is 'What is to be measured.';
comment on column job.reason is 'backfill: all commits of a regression''s range are measured; bisect: some that halve it.';
comment on column job.regression_id is 'The regression whose culprit is looked for.';
comment on column job.created_at is 'When it was asked for.';
comment on column job.done_at is 'When a run of it had arrived; null while it is waited for.';
comment on column job.done_by_run_id is 'That run. No foreign key: runs are many, and this is only told.';
