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
    measured_at timestamptz not null
);
-- It takes the place of a primary key and holds all that a chart reads, so that a series is read from neighbouring
-- pages of the index alone.
create unique index point_key on point (machine_id, series_id, commit_ordinal, run_id) include (
    commit_id, environment_id, work_tree_modified, lossy, repetition_count, failure_count, disturbed_count,
    operation_count, attempted, accepted, delivered, latency_ns_sum, latency_ns_min, latency_ns_p25,
    latency_ns_p50, latency_ns_p75, latency_ns_p90, latency_ns_p98, latency_ns_p99, latency_ns_p999,
    latency_ns_max, repetition_p50_ns_q1, repetition_p50_ns_median, repetition_p50_ns_q3,
    throughput_bytes_per_second, measured_at
);
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

create table point_histogram (
    machine_id bigint not null,
    series_id bigint not null,
    run_id uuid not null,
    histogram bytea not null
);
create unique index point_histogram_key on point_histogram (machine_id, series_id, run_id);
comment on table point_histogram is 'The merged distribution of a point.';
comment on column point_histogram.machine_id is 'Distribution key, as in point.';
comment on column point_histogram.series_id is 'Of which series.';
comment on column point_histogram.run_id is 'Of which run.';
comment on column point_histogram.histogram is 'HdrHistogram V2 with deflate: 1 ns to 60 s, 3 digits.';
