-- Where series change their level, and what became of it. Changes are few: none of this is distributed.

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

-- What was stored before is searched once.
insert into analysis_due (run_id, machine_id, due_at) select run_id, machine_id, now() from run where points_pruned_at is null;
