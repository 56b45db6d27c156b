-- Uploads, whole and as they came.

create table run (
    run_id uuid constraint run_pkey primary key,
    project_id bigint not null constraint run_project_id_fkey references project (project_id),
    machine_id bigint not null constraint run_machine_id_fkey references machine (machine_id),
    environment_id bigint not null constraint run_environment_id_fkey references environment (environment_id),
    commit_id bigint not null constraint run_commit_id_fkey references commit (commit_id),
    branch text,
    pull_request bigint,
    work_tree_modified boolean not null,
    preset text not null,
    suite_version text not null,
    build text not null,
    order_seed text not null,
    conditions jsonb not null,
    canaries jsonb not null,
    started_at timestamptz not null,
    finished_at timestamptz not null,
    received_at timestamptz not null,
    result_count integer not null,
    point_count integer not null,
    unsupported_count integer not null,
    failure_count integer not null,
    body_sha256 bytea not null
);
create index run_project_id_run_id_idx on run (project_id, run_id desc);
create index run_machine_id_run_id_idx on run (machine_id, run_id desc);
create index run_environment_id_idx on run (environment_id);
create index run_commit_id_idx on run (commit_id);
comment on table run is 'One upload: a project''s commit, measured on a machine at one time.';
comment on column run.run_id is 'UUIDv7 that the agent chose, the same over retries; orders runs by their beginning.';
comment on column run.project_id is 'Whose commit.';
comment on column run.machine_id is 'Where.';
comment on column run.environment_id is 'The machine''s fingerprint at that time.';
comment on column run.commit_id is 'What was measured.';
comment on column run.branch is 'The branch that was checked out, if one was.';
comment on column run.pull_request is 'The pull request it belongs to, if it does.';
comment on column run.work_tree_modified is 'True when tracked files differed from the commit.';
comment on column run.preset is 'The definition that was run.';
comment on column run.suite_version is 'Version of the suite.';
comment on column run.build is 'release or debug.';
comment on column run.order_seed is 'Seed of the order of repetitions, an unsigned 64-bit number as text.';
comment on column run.conditions is 'Facts that vary from minute to minute: load, frequency.';
comment on column run.canaries is 'The machine''s own readings.';
comment on column run.started_at is 'When the first repetition began, by the agent''s clock.';
comment on column run.finished_at is 'When the last repetition ended, by the agent''s clock.';
comment on column run.received_at is 'When the upload arrived, by the server''s clock.';
comment on column run.result_count is 'Cases in the upload.';
comment on column run.point_count is 'Cases with at least one finished repetition.';
comment on column run.unsupported_count is 'Cases that the machine cannot run.';
comment on column run.failure_count is 'Repetitions that did not finish.';
comment on column run.body_sha256 is 'SHA-256 of the decompressed body: the same body again is the same run.';

create table run_upload (
    run_id uuid constraint run_upload_pkey primary key
        constraint run_upload_run_id_fkey references run (run_id),
    body_zstd bytea not null
);
-- It is compressed already.
alter table run_upload alter column body_zstd set storage external;
comment on table run_upload is 'Original uploads, kept: per-repetition histograms are read from here.';
comment on column run_upload.run_id is 'Whose.';
comment on column run_upload.body_zstd is 'The decompressed body, compressed again with zstd.';

create table run_outcome (
    run_id uuid not null constraint run_outcome_run_id_fkey references run (run_id),
    series_id bigint not null constraint run_outcome_series_id_fkey references series (series_id),
    position integer not null,
    counters jsonb not null,
    failures jsonb not null,
    unsupported text,
    constraint run_outcome_pkey primary key (run_id, series_id)
);
create index run_outcome_series_id_idx on run_outcome (series_id);
comment on table run_outcome is 'One case of one run: what there is besides its point, and why there is none.';
comment on column run_outcome.run_id is 'Of which run.';
comment on column run_outcome.series_id is 'Of which series.';
comment on column run_outcome.position is 'Its place in the upload, from 0.';
comment on column run_outcome.counters is 'Facts of the channel as it really was, units last.';
comment on column run_outcome.failures is 'Repetitions that did not finish, with reasons.';
comment on column run_outcome.unsupported is 'Why the machine cannot run the case, if it cannot.';
