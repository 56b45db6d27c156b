-- A commit whose first results lie outside the expectation. A paired comparison confirms or withdraws it before anyone is
-- alerted.

create table suspicion (
    suspicion_id bigint generated always as identity constraint suspicion_pkey primary key,
    project_id bigint not null constraint suspicion_project_id_fkey references project (project_id),
    machine_id bigint not null constraint suspicion_machine_id_fkey references machine (machine_id),
    commit_id bigint not null constraint suspicion_commit_id_fkey references commit (commit_id),
    base_commit_id bigint not null constraint suspicion_base_commit_id_fkey references commit (commit_id),
    run_id uuid not null,
    job_id bigint constraint suspicion_job_id_fkey references job (job_id),
    state text not null constraint suspicion_state_check check (state in ('waiting', 'confirmed', 'withdrawn')),
    cases jsonb not null,
    decided_because text,
    created_at timestamptz not null,
    decided_at timestamptz,
    constraint suspicion_commit_key unique (project_id, machine_id, commit_id),
    constraint suspicion_decided_at_check check ((decided_at is null) = (state = 'waiting'))
);
create index suspicion_project_id_idx on suspicion (project_id, suspicion_id);
create index suspicion_machine_id_idx on suspicion (machine_id);
create index suspicion_commit_id_idx on suspicion (commit_id);
create index suspicion_base_commit_id_idx on suspicion (base_commit_id);
create index suspicion_job_id_idx on suspicion (job_id);
create index suspicion_waiting_idx on suspicion (suspicion_id) where state = 'waiting';
comment on table suspicion is 'A commit whose newest results on a machine lie outside the expectation of their series. Sends no alert.';
comment on column suspicion.suspicion_id is 'Key.';
comment on column suspicion.project_id is 'The project.';
comment on column suspicion.machine_id is 'The machine that measured the commit.';
comment on column suspicion.commit_id is 'The suspected commit. Each is suspected once per machine.';
comment on column suspicion.base_commit_id is 'The previous commit that the machine measured in the case that changed most: the base of the comparison.';
comment on column suspicion.run_id is 'The run with the unexpected results. No foreign key, because there are many runs.';
comment on column suspicion.job_id is 'The paired comparison that decides; null: no agent can run it, or its job was deleted.';
comment on column suspicion.state is 'waiting, confirmed (by the comparison or by later commits) or withdrawn.';
comment on column suspicion.cases is 'The unexpected results, largest slowdown first: [{series_id, environment_id, level, change, confirmed_change}, …], level in nanoseconds, changes as shares.';
comment on column suspicion.decided_because is 'Why it was confirmed or withdrawn, as a sentence; null: waiting.';
comment on column suspicion.created_at is 'Time when the results were searched.';
comment on column suspicion.decided_at is 'Time when it was confirmed or withdrawn; null: waiting.';

alter table change_point add column suspicion_id bigint;
alter table change_point add constraint change_point_suspicion_id_fkey
    foreign key (suspicion_id) references suspicion (suspicion_id) not valid;
comment on column change_point.suspicion_id is 'The suspicion whose paired comparison confirmed this change after its first commit; null: found by the detector.';

alter table job drop constraint job_reason_check;
alter table job add constraint job_reason_check
    check (reason in ('backfill', 'bisect', 'repeat', 'push', 'schedule', 'request', 'pull-request', 'confirm')) not valid;
comment on column job.reason is 'push, schedule, request (by a user) or pull-request. confirm: compares a suspected commit with its base. For a regression: backfill (all unmeasured commits of its range), bisect (commits that divide the range) or repeat (suspect commits again).';
