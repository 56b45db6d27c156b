-- no-transaction
-- In place of point_key, which holds all columns of a point: this one holds what a line of a chart is drawn of. Half as
-- much is written for each point, and twice as many points are in a page that is read.
create unique index concurrently if not exists point_by_series on point (machine_id, series_id, commit_ordinal, run_id) include (
    environment_id, mainline, lossy, work_tree_modified, latency_ns_p50, latency_ns_p90, latency_ns_p99,
    repetition_p50_ns_q1, repetition_p50_ns_median, repetition_p50_ns_q3
);
