-- What other tools have measured: benchmarks by their names, figures that were stated without samples, and the files as
-- they came. Nullable columns and new tables: old servers need not know them.

alter table measured_case add column benchmark text, add column operations bigint;
comment on column measured_case.benchmark is 'What an imported benchmark is called; null where the suite measured.';
comment on column measured_case.operations is 'Operations that a time is of, where a tool states averages; null: one.';

-- Beside table point, never in it: what has no samples takes part in no test. It holds no foreign keys, and its unique key
-- contains machine_id, as that of point.
create table summary (
    machine_id bigint not null,
    series_id bigint not null,
    commit_ordinal bigint not null,
    run_id uuid not null,
    commit_id bigint not null,
    environment_id bigint not null,
    work_tree_modified boolean not null,
    latency_ns_center bigint not null,
    latency_ns_low bigint,
    latency_ns_high bigint,
    latency_ns_min bigint,
    latency_ns_max bigint,
    quantiles jsonb not null,
    operation_count bigint,
    measured_at timestamptz not null
);
create unique index summary_key on summary (machine_id, series_id, commit_ordinal, run_id);
comment on table summary is 'What a tool stated of one run in one series without samples.';
comment on column summary.machine_id is 'Distribution key, as in point.';
comment on column summary.series_id is 'Of which series; its methodology says what the figure is.';
comment on column summary.commit_ordinal is 'Place of the commit in its project, copied from commit.ordinal.';
comment on column summary.run_id is 'Of which run.';
comment on column summary.commit_id is 'Of which commit.';
comment on column summary.environment_id is 'The fingerprint that came with the run.';
comment on column summary.work_tree_modified is 'True when what was measured was not exactly the commit.';
comment on column summary.latency_ns_center is 'The figure: a median, a mean, or a value.';
comment on column summary.latency_ns_low is 'Where an interval begins that was stated around it.';
comment on column summary.latency_ns_high is 'Where that interval ends.';
comment on column summary.latency_ns_min is 'Smallest time, if stated.';
comment on column summary.latency_ns_max is 'Largest time, if stated.';
comment on column summary.quantiles is 'Stated quantiles, ascending: q_ppm in parts per million, ns.';
comment on column summary.operation_count is 'Samples behind the figures, if stated.';
comment on column summary.measured_at is 'When the run began, as its report says.';

create table run_original (
    run_id uuid constraint run_original_pkey primary key
        constraint run_original_run_id_fkey references run (run_id),
    name text not null,
    format text not null,
    byte_count bigint not null,
    file_zstd bytea not null
);
-- It is compressed already.
alter table run_original alter column file_zstd set storage external;
comment on table run_original is 'Files that were imported, byte for byte as they came.';
comment on column run_original.run_id is 'Whose.';
comment on column run_original.name is 'What the file was called.';
comment on column run_original.format is 'In which format it was read.';
comment on column run_original.byte_count is 'Its size before compression.';
comment on column run_original.file_zstd is 'The file, compressed with zstd.';
