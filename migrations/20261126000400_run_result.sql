-- What a run says of its cases besides numbers: one row a run, where run_outcome has one a case, so that an upload of a
-- hundred cases writes two big rows and not a hundred small ones. With kept uploads and files, it can be distributed by
-- machine: what comes with one upload is then stored in one place.

create table run_result (
    machine_id bigint not null,
    run_id uuid not null,
    series_ids bigint[] not null,
    outcomes jsonb not null
);
create unique index run_result_key on run_result (machine_id, run_id);
comment on table run_result is 'The cases of a run, in the order of its upload, and what there is of them besides points.';
comment on column run_result.machine_id is 'Distribution key, as in point.';
comment on column run_result.run_id is 'Of which run.';
comment on column run_result.series_ids is 'The series of each case.';
comment on column run_result.outcomes is 'Of each case, in the same order: counters, facts, failures, and why it is unsupported.';

insert into run_result (machine_id, run_id, series_ids, outcomes)
select run.machine_id, run.run_id, array_agg(run_outcome.series_id order by run_outcome.position),
       jsonb_agg(
           jsonb_build_object(
               'counters', run_outcome.counters, 'facts', run_outcome.facts, 'failures', run_outcome.failures,
               'unsupported', run_outcome.unsupported
           )
           order by run_outcome.position
       )
from run_outcome
join run on run.run_id = run_outcome.run_id
group by run.machine_id, run.run_id;
