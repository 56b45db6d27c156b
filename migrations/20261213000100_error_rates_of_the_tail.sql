-- Error rates of the tail, and the threshold of all error rates.

alter table error_rate
    add column tail_searched_count bigint not null default 0,
    add column tail_false_alarm_count bigint not null default 0,
    add column tail_injected_count bigint not null default 0,
    add column tail_found_counts bigint[] not null default '{0,0,0,0}',
    add column tail_median_delays bigint[] not null default '{null,null,null,null}';
comment on column error_rate.tail_searched_count is 'As p50_searched_count, for p99 / p50.';
comment on column error_rate.tail_false_alarm_count is 'As p50_false_alarm_count, for p99 / p50.';
comment on column error_rate.tail_injected_count is 'As p50_injected_count, for p99 / p50.';
comment on column error_rate.tail_found_counts is 'As p50_found_counts, for p99 / p50.';
comment on column error_rate.tail_median_delays is 'As p50_median_delays, for p99 / p50.';

alter table machine_error_rate add column least_change double precision;
comment on column machine_error_rate.least_change is
    'The project''s least_change at the computation; null: default. Rates with another value than the project''s are outdated.';
