-- The big tables. They hold no foreign keys and no triggers, and every unique key contains machine_id, so that they
-- can be distributed by it. Histograms stand apart, because charts do not read them.

create table point (
    machine_id bigint not null,
    series_id bigint not null,
    commit_ordinal bigint not null,
    run_id uuid not null,
    commit_id bigint not null,
    environment_id bigint not null,
    work_tree_modified boolean not null,
    lossy boolean not null,
    repetition_count integer not null,
    failure_count integer not null,
    disturbed_count integer not null,
    operation_count bigint not null,
    attempted bigint not null,
    accepted bigint not null,
    delivered bigint not null,
    latency_ns_sum bigint not null,
    latency_ns_min bigint not null,
    latency_ns_p25 bigint not null,
    latency_ns_p50 bigint not null,
    latency_ns_p75 bigint not null,
    latency_ns_p90 bigint not null,
    latency_ns_p98 bigint not null,
    latency_ns_p99 bigint not null,
    latency_ns_p999 bigint not null,
    latency_ns_max bigint not null,
    repetition_p50_ns_q1 bigint not null,
    repetition_p50_ns_median bigint not null,
    repetition_p50_ns_q3 bigint not null,
    throughput_bytes_per_second bigint,
    measured_at timestamptz not null,
    mainline boolean not null default true,
    repetition_p50_ns bigint[] not null default '{}',
    repetition_p90_ns bigint[] not null default '{}',
    repetition_p99_ns bigint[] not null default '{}',
    oversubscribed boolean not null default false,
    -- Lines over commits read the same eight numbers of thousands of points. PostgreSQL takes more than half of such a read to
    -- write numbers as text, or into arrays; what is written next to each other when a point is stored is only put together.
    chart_line bytea not null generated always as (
        case
            when greatest(
                commit_ordinal, 4 * environment_id, latency_ns_p50, latency_ns_p90, latency_ns_p99,
                repetition_p50_ns_q1, repetition_p50_ns_median, repetition_p50_ns_q3
            ) < 2147483640
            then '\x04'
                || int4send(commit_ordinal::integer)
                || int4send((4 * environment_id)::integer + 2 * lossy::integer + work_tree_modified::integer)
                || int4send(latency_ns_p50::integer) || int4send(latency_ns_p90::integer) || int4send(latency_ns_p99::integer)
                || int4send(repetition_p50_ns_q1::integer) || int4send(repetition_p50_ns_median::integer)
                || int4send(repetition_p50_ns_q3::integer)
            else '\x08'
                || int8send(commit_ordinal)
                || int8send(4 * environment_id + 2 * lossy::integer + work_tree_modified::integer)
                || int8send(latency_ns_p50) || int8send(latency_ns_p90) || int8send(latency_ns_p99)
                || int8send(repetition_p50_ns_q1) || int8send(repetition_p50_ns_median) || int8send(repetition_p50_ns_q3)
        end
    ) stored
)
-- Charts read the index alone where its pages are known to be visible to all, which a vacuum finds out. By default the first
-- one after many millions of rows comes when a fifth of them is new.
with (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 100000);
-- It takes the place of a primary key and holds what a line of a chart is drawn of, so that a series is read from
-- neighbouring pages of the index alone.
create unique index point_line
    on point (machine_id, series_id, commit_ordinal, run_id) include (mainline, lossy, chart_line);
comment on table point is 'One run''s result in one series, as charts need it.';
comment on column point.machine_id is 'Distribution key: an upload comes from one machine.';
comment on column point.series_id is 'Of which series.';
comment on column point.commit_ordinal is 'Place of the commit in its project, copied from commit.ordinal.';
comment on column point.run_id is 'Of which run.';
comment on column point.commit_id is 'Of which commit.';
comment on column point.environment_id is 'The machine''s fingerprint at that time.';
comment on column point.work_tree_modified is 'True when what was measured was not exactly the commit.';
comment on column point.lossy is 'True when not everything was delivered once, in order and intact.';
comment on column point.repetition_count is 'Repetitions that finished.';
comment on column point.failure_count is 'Repetitions that did not.';
comment on column point.disturbed_count is 'Finished repetitions with a reason to doubt them.';
comment on column point.operation_count is 'Recorded operations.';
comment on column point.attempted is 'Messages whose sending was tried.';
comment on column point.accepted is 'Messages that the transport took.';
comment on column point.delivered is 'Messages that arrived intact, summed over receivers.';
comment on column point.latency_ns_sum is 'Exact sum of the times of all operations.';
comment on column point.latency_ns_min is 'Exact smallest time.';
comment on column point.latency_ns_p25 is 'Nearest-rank 25 % quantile of all operations.';
comment on column point.latency_ns_p50 is 'Median of all operations.';
comment on column point.latency_ns_p75 is '75 % quantile of all operations.';
comment on column point.latency_ns_p90 is '90 % quantile of all operations.';
comment on column point.latency_ns_p98 is '98 % quantile of all operations.';
comment on column point.latency_ns_p99 is '99 % quantile of all operations.';
comment on column point.latency_ns_p999 is '99.9 % quantile of all operations.';
comment on column point.latency_ns_max is 'Exact largest time.';
comment on column point.repetition_p50_ns_q1 is 'First quartile of the repetitions'' medians.';
comment on column point.repetition_p50_ns_median is 'Median of the repetitions'' medians.';
comment on column point.repetition_p50_ns_q3 is 'Third quartile of the repetitions'' medians.';
comment on column point.throughput_bytes_per_second is 'In stream: payload bytes over the time of all transfers.';
comment on column point.measured_at is 'When the run began, by the agent''s clock.';
comment on column point.mainline is 'True when the run is part of the trend: no pull request''s, and of no other branch than the project''s default.';
comment on column point.repetition_p50_ns is 'Median of each repetition, in the order of the upload: the repetition is the unit of comparison.';
comment on column point.repetition_p90_ns is '90 % quantile of each repetition.';
comment on column point.repetition_p99_ns is '99 % quantile of each repetition.';
comment on column point.oversubscribed is 'True when more threads took part than there were processors for them. False of points that were stored before this column: their uploads tell.';
comment on column point.chart_line is 'What a line of a chart is drawn of: how many bytes each of these eight big-endian integers has, 4 where all fit, else 8; commit_ordinal; 4 * environment_id + 2 * lossy + work_tree_modified; latency_ns_p50, _p90 and _p99; repetition_p50_ns_q1, _median and _q3.';

create table point_histogram (
    machine_id bigint not null,
    series_id bigint not null,
    run_id uuid not null,
    histogram bytea not null
)
-- Written once, as run_upload.
with (autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1);
-- With the run first, the histograms of an upload are next to each other in the index, and not one in each of as many pages
-- as there are series.
create unique index point_histogram_by_run on point_histogram (machine_id, run_id, series_id);
comment on table point_histogram is 'The merged distribution of a point.';
comment on column point_histogram.machine_id is 'Distribution key, as in point.';
comment on column point_histogram.series_id is 'Of which series.';
comment on column point_histogram.run_id is 'Of which run.';
comment on column point_histogram.histogram is 'HdrHistogram V2 without deflate: 1 ns to 60 s, 3 digits.';

-- Beside table point, never in it: what has no samples takes part in no test.
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
    measured_at timestamptz not null,
    mainline boolean not null default true
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
comment on column summary.mainline is 'As in point.';
