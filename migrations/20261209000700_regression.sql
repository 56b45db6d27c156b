-- Where series change their level, what became of it, and how often that is wrong. All of it is little: none is distributed.

create table analysis_due (
    run_id uuid constraint analysis_due_pkey primary key
        constraint analysis_due_run_id_fkey references run (run_id),
    machine_id bigint not null constraint analysis_due_machine_id_fkey references machine (machine_id),
    due_at timestamptz not null
);
create index analysis_due_machine_id_idx on analysis_due (machine_id, due_at);
comment on table analysis_due is 'Runs whose points were not searched for changes yet; written with the run, so that none is forgotten.';
comment on column analysis_due.run_id is 'Which run.';
comment on column analysis_due.machine_id is 'Its machine: those of one are searched together, by one server at a time.';
comment on column analysis_due.due_at is 'Since when.';

create table regression (
    regression_id bigint generated always as identity constraint regression_pkey primary key,
    project_id bigint not null constraint regression_project_id_fkey references project (project_id),
    direction text not null constraint regression_direction_check check (direction in ('regressed', 'improved')),
    state text not null
        constraint regression_state_check check (state in ('new', 'acknowledged', 'fixed', 'invalid', 'machine')),
    cause text not null constraint regression_cause_check check (cause in ('commit', 'machine', 'unknown')),
    held_because text,
    after_commit_id bigint not null constraint regression_after_commit_id_fkey references commit (commit_id),
    until_commit_id bigint not null constraint regression_until_commit_id_fkey references commit (commit_id),
    fixed_by_commit_id bigint constraint regression_fixed_by_commit_id_fkey references commit (commit_id),
    assignee_account_id bigint constraint regression_assignee_account_id_fkey references account (account_id),
    note text,
    bug_url text,
    muted_until_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index regression_project_id_idx on regression (project_id, regression_id);
create index regression_after_commit_id_idx on regression (after_commit_id);
create index regression_until_commit_id_idx on regression (until_commit_id);
create index regression_fixed_by_commit_id_idx on regression (fixed_by_commit_id);
create index regression_assignee_account_id_idx on regression (assignee_account_id);
comment on table regression is 'Changes of several series that one cause explains, for the better or the worse, and what people say of them.';
comment on column regression.regression_id is 'Its number in links.';
comment on column regression.project_id is 'Of which project.';
comment on column regression.direction is 'regressed or improved.';
comment on column regression.state is 'new; acknowledged, fixed or invalid, as people or a change back say; machine when a machine made it, not a commit.';
comment on column regression.cause is 'What the witnesses say: commit, machine or unknown.';
comment on column regression.held_because is 'Why nobody is alerted of it: its machine is suspect; null when somebody is.';
comment on column regression.after_commit_id is 'The newest commit that was measured before all of its changes: none of the culprits.';
comment on column regression.until_commit_id is 'The oldest commit that was measured after all of them: the last of the culprits.';
comment on column regression.fixed_by_commit_id is 'The commit from which on all is as it was before; null while it is not, and where people say that it was fixed.';
comment on column regression.assignee_account_id is 'Who looks after it.';
comment on column regression.note is 'What people say of it.';
comment on column regression.bug_url is 'Where it is talked about.';
comment on column regression.muted_until_at is 'Until when nobody is told of it.';
comment on column regression.created_at is 'When its first change was found.';
comment on column regression.updated_at is 'When it last changed.';

create table change_point (
    change_point_id bigint generated always as identity constraint change_point_pkey primary key,
    series_id bigint not null constraint change_point_series_id_fkey references series (series_id),
    environment_id bigint not null
        constraint change_point_environment_id_fkey references environment (environment_id),
    quantile text not null,
    commit_id bigint not null constraint change_point_commit_id_fkey references commit (commit_id),
    after_commit_id bigint not null constraint change_point_after_commit_id_fkey references commit (commit_id),
    until_commit_id bigint not null constraint change_point_until_commit_id_fkey references commit (commit_id),
    places jsonb not null,
    before_ns double precision not null,
    after_ns double precision not null,
    confidence double precision not null,
    matters boolean not null,
    cause text constraint change_point_cause_check check (cause in ('commit', 'machine', 'unknown')),
    witnesses text[] not null default '{}',
    regression_id bigint constraint change_point_regression_id_fkey references regression (regression_id),
    found_at timestamptz not null,
    withdrawn_at timestamptz
);
-- One place is told once; what was withdrawn may be told again.
create unique index change_point_place_key
    on change_point (series_id, environment_id, quantile, commit_id) where withdrawn_at is null;
create index change_point_series_id_idx on change_point (series_id);
create index change_point_environment_id_idx on change_point (environment_id);
create index change_point_commit_id_idx on change_point (commit_id);
create index change_point_after_commit_id_idx on change_point (after_commit_id);
create index change_point_until_commit_id_idx on change_point (until_commit_id);
create index change_point_regression_id_idx on change_point (regression_id);
comment on table change_point is 'A commit from which on a series has another level, in one environment of its machine.';
comment on column change_point.change_point_id is 'Its number.';
comment on column change_point.series_id is 'Of which series.';
comment on column change_point.environment_id is 'Among the points of which fingerprint: points of different ones are not compared.';
comment on column change_point.quantile is 'Of what: p50, the median over the repetitions'' medians, or p99 of all operations.';
comment on column change_point.commit_id is 'The first commit of the new level; it moves only when commits before it are measured later.';
comment on column change_point.after_commit_id is 'The newest measured commit that is before the change with a probability of 95 %.';
comment on column change_point.until_commit_id is 'The measured commit up to which it happened with the same probability.';
comment on column change_point.places is 'The commits at which the new level may begin, and how probably it does: [[commit_id, probability], …].';
comment on column change_point.before_ns is 'The level before, when it was told.';
comment on column change_point.after_ns is 'The level after.';
comment on column change_point.confidence is 'One less the probability that a series without a change, seen once, is as uneven.';
comment on column change_point.matters is 'False when it is too small to be reported.';
comment on column change_point.cause is 'What the witnesses say: commit, machine or unknown; null while they were not heard.';
comment on column change_point.witnesses is 'What canaries, control transports and other machines say, as sentences.';
comment on column change_point.regression_id is 'The regression that it is part of.';
comment on column change_point.found_at is 'When it was found.';
comment on column change_point.withdrawn_at is 'When a late run of an older commit showed that it was none.';

-- Counted of the project's own points, once a day, and replaced by the next count. Counts, not ratios: they can be added up,
-- and tell how sure a ratio is.
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
