-- Uploads, whole and as they came, and what is counted of them. What comes with one upload is stored in one place: run_upload,
-- run_original and run_result can be distributed by machine, as points.

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
    body_sha256 bytea not null,
    upload_pruned_at timestamptz,
    histograms_pruned_at timestamptz,
    points_pruned_at timestamptz,
    job_id bigint,
    superseded boolean not null default false,
    quarantined boolean not null default false
);
create index run_project_id_run_id_idx on run (project_id, run_id desc);
create index run_machine_id_run_id_idx on run (machine_id, run_id desc);
create index run_environment_id_idx on run (environment_id);
create index run_commit_id_idx on run (commit_id);
-- Runs of a project in the order in which they grow too old.
create index run_project_id_received_at_idx on run (project_id, received_at, run_id);
-- The runs of pull requests, few among all, by number.
create index run_pull_request_idx on run (project_id, pull_request, run_id) where pull_request is not null;
create index run_job_id_idx on run (job_id) where job_id is not null;
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
comment on column run.upload_pruned_at is 'When its upload, and the file it was imported from, were removed by age; null: they are kept.';
comment on column run.histograms_pruned_at is 'When the distributions of its points were removed by age; null: they are kept.';
comment on column run.points_pruned_at is 'When its points were removed by age; null: they are kept.';
comment on column run.job_id is 'The job that it was measured for, if it was. No foreign key: runs are many, and this is only told.';
comment on column run.superseded is 'True when it was measured under a lease that another agent had taken over: kept, and part of no trend.';
comment on column run.quarantined is 'True when whoever uploaded it does not vouch for it, as for a pull request of a fork: it is never part of the trend, whatever it says of itself, and moves no commit.';

create table run_upload (
    run_id uuid not null,
    body_zstd bytea not null,
    machine_id bigint not null
)
-- What comes with an upload is written once, and found by its key in its table, not in its index alone. A vacuum of rows that
-- were only inserted would write their pages a second time for nothing: it waits until they are so old that PostgreSQL
-- freezes them, or until rows have been removed.
with (autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1);
-- It is compressed already.
alter table run_upload alter column body_zstd set storage external;
create unique index run_upload_key on run_upload (machine_id, run_id);
comment on table run_upload is 'Original uploads, kept: per-repetition histograms are read from here.';
comment on column run_upload.run_id is 'Whose.';
comment on column run_upload.body_zstd is 'The decompressed body, compressed again with zstd.';
comment on column run_upload.machine_id is 'Distribution key, as in point.';

create table run_original (
    run_id uuid not null,
    name text not null,
    format text not null,
    byte_count bigint not null,
    file_zstd bytea,
    machine_id bigint not null
)
-- Written once, as run_upload.
with (autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1);
-- It is compressed already.
alter table run_original alter column file_zstd set storage external;
create unique index run_original_key on run_original (machine_id, run_id);
comment on table run_original is 'Files that were imported, byte for byte as they came.';
comment on column run_original.run_id is 'Whose.';
comment on column run_original.name is 'What the file was called.';
comment on column run_original.format is 'In which format it was read.';
comment on column run_original.byte_count is 'Its size before compression.';
comment on column run_original.file_zstd is 'The file, compressed with zstd; null once it was removed by age.';
comment on column run_original.machine_id is 'Distribution key, as in point.';

-- One row a run, not one a case: an upload of a hundred cases writes two big rows and not a hundred small ones.
create table run_result (
    machine_id bigint not null,
    run_id uuid not null,
    series_ids bigint[] not null,
    outcomes jsonb not null
);
create unique index run_result_key on run_result (machine_id, run_id);
comment on table run_result is 'The cases of a run, in the order of its upload, and what there is of them besides points.';
comment on column run_result.machine_id is 'Distribution key, as in point.';
comment on column run_result.run_id is 'Of which run.';
comment on column run_result.series_ids is 'The series of each case.';
comment on column run_result.outcomes is 'Of each case, in the same order: counters, facts, failures, and why it is unsupported.';

-- Counted when it is stored: lists of projects and of machines would otherwise read every run there is. A row of counts for
-- each machine, not one for the project, because uploads of one machine wait for each other anyway.
create table project_machine (
    project_id bigint not null constraint project_machine_project_id_fkey references project (project_id),
    machine_id bigint not null constraint project_machine_machine_id_fkey references machine (machine_id),
    run_count bigint not null,
    commit_count bigint not null,
    series_count bigint not null,
    latest_run_id uuid not null,
    constraint project_machine_pkey primary key (project_id, machine_id)
);
create index project_machine_machine_id_idx on project_machine (machine_id);
comment on table project_machine is 'How much a machine has measured of a project.';
comment on column project_machine.project_id is 'Of which project.';
comment on column project_machine.machine_id is 'Which machine.';
comment on column project_machine.run_count is 'Its uploads to the project.';
comment on column project_machine.commit_count is 'Commits that it was the first to measure: summed over machines, all that were measured.';
comment on column project_machine.series_count is 'Its series of the project.';
comment on column project_machine.latest_run_id is 'The largest of the runs'' keys, which begin with the time: the newest one. No foreign key, because it changes with each upload.';

-- Whether runs were lost: what agents say that servers have acknowledged, beside what is stored. No foreign keys: this table
-- stays on one node where others are spread over several.
create table installation (
    installation_id uuid constraint installation_pkey primary key,
    machine_id bigint not null,
    stored_count bigint not null,
    acknowledged_count bigint not null,
    last_upload_at timestamptz not null
);
create index installation_machine_id_idx on installation (machine_id);
comment on table installation is 'A folder of reports on a machine, from which an agent uploads to this server.';
comment on column installation.installation_id is 'UUID that the agent drew.';
comment on column installation.machine_id is 'The machine of its newest upload.';
comment on column installation.stored_count is 'Different uploads that were stored.';
comment on column installation.acknowledged_count is 'Different uploads that the agent was told to be stored; more than are stored: some were lost.';
comment on column installation.last_upload_at is 'When its newest upload arrived, by the server''s clock.';
