-- How often what is said of a project is wrong, and what is found of what is there: counted of its own points, once a day, and
-- replaced by the next count. Counts, not ratios: they can be added up, and tell how sure a ratio is. They are few: none of
-- this is distributed.

create table machine_error_rate (
    project_id bigint not null constraint machine_error_rate_project_id_fkey references project (project_id),
    machine_id bigint not null constraint machine_error_rate_machine_id_fkey references machine (machine_id),
    comparison_count bigint not null,
    false_comparison_count bigint not null,
    computed_at timestamptz not null,
    constraint machine_error_rate_pkey primary key (project_id, machine_id)
);
create index machine_error_rate_machine_id_idx on machine_error_rate (machine_id);
comment on table machine_error_rate is 'How often whole comparisons on a machine are wrong, and when that was counted.';
comment on column machine_error_rate.project_id is 'Of which project.';
comment on column machine_error_rate.machine_id is 'On which machine.';
comment on column machine_error_rate.comparison_count is 'Runs whose repetitions were compared with each other, all cases of a run as one comparison.';
comment on column machine_error_rate.false_comparison_count is 'Those in which any case was said to have changed.';
comment on column machine_error_rate.computed_at is 'When all of the machine was counted.';

create table error_rate (
    project_id bigint not null,
    machine_id bigint not null,
    transport_id bigint not null constraint error_rate_transport_id_fkey references transport (transport_id),
    scenario text not null,
    series_count bigint not null,
    p50_searched_count bigint not null,
    p50_false_alarm_count bigint not null,
    p50_injected_count bigint not null,
    p50_found_counts bigint[] not null,
    p50_median_delays bigint[] not null,
    p99_searched_count bigint not null,
    p99_false_alarm_count bigint not null,
    p99_injected_count bigint not null,
    p99_found_counts bigint[] not null,
    p99_median_delays bigint[] not null,
    case_count bigint not null,
    false_case_count bigint not null,
    found_case_counts bigint[] not null,
    untold_case_count bigint not null,
    constraint error_rate_pkey primary key (project_id, machine_id, transport_id, scenario),
    constraint error_rate_machine_fkey foreign key (project_id, machine_id)
        references machine_error_rate (project_id, machine_id) on delete cascade
);
create index error_rate_transport_id_idx on error_rate (transport_id);
comment on table error_rate is 'How often what is said of a class of series, those of one transport and scenario on one machine, is wrong.';
comment on column error_rate.project_id is 'Of which project.';
comment on column error_rate.machine_id is 'On which machine.';
comment on column error_rate.transport_id is 'The transport of the class.';
comment on column error_rate.scenario is 'Its traffic pattern.';
comment on column error_rate.series_count is 'Series of the class whose points were read.';
comment on column error_rate.p50_searched_count is 'Points of made series without a change of p50 that were searched; 0 where no series has enough points.';
comment on column error_rate.p50_false_alarm_count is 'Changes that were told among them.';
comment on column error_rate.p50_injected_count is 'How many steps of each size were made.';
comment on column error_rate.p50_found_counts is 'How many of them were found within five points, for steps of 3, 5, 10 and 25 %.';
comment on column error_rate.p50_median_delays is 'How many points such a step had when it was told, the median of those found; null where none was.';
comment on column error_rate.p99_searched_count is 'The same for p99.';
comment on column error_rate.p99_false_alarm_count is 'The same for p99.';
comment on column error_rate.p99_injected_count is 'The same for p99.';
comment on column error_rate.p99_found_counts is 'The same for p99.';
comment on column error_rate.p99_median_delays is 'The same for p99.';
comment on column error_rate.case_count is 'Cases of the machine''s comparisons, each of which was also compared with one half made slower by 5 and by 10 %.';
comment on column error_rate.false_case_count is 'Those said to have changed where nothing was made slower.';
comment on column error_rate.found_case_counts is 'Those said to be slower, made slower by 5 and by 10 %.';
comment on column error_rate.untold_case_count is 'Cases that could not tell, because a half had fewer than six repetitions.';
