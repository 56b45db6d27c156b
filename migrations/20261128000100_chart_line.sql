-- Lines over commits read the same eight numbers of thousands of points. PostgreSQL takes more than half of such a read to
-- write numbers as text, or into arrays; what is written next to each other when a point is stored is only put together.
--
-- Writes the table anew: about five seconds for a million points, during which nothing is read from it.
alter table point add column chart_line bytea not null generated always as (
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
) stored;
comment on column point.chart_line is 'What a line of a chart is drawn of: how many bytes each of these eight big-endian integers has, 4 where all fit, else 8; commit_ordinal; 4 * environment_id + 2 * lossy + work_tree_modified; latency_ns_p50, _p90 and _p99; repetition_p50_ns_q1, _median and _q3.';
