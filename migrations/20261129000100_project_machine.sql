-- How much each machine has measured of each project, counted when it is stored: lists of projects and of machines would
-- otherwise read every run there is. A row of counts for each machine, not one for the project, because uploads of one
-- machine wait for each other anyway.
--
-- A server of before counts nothing of what it stores: it is to be stopped first. No version of before was released.

create table project_machine (
    project_id bigint not null constraint project_machine_project_id_fkey references project (project_id),
    machine_id bigint not null constraint project_machine_machine_id_fkey references machine (machine_id),
    run_count bigint not null,
    commit_count bigint not null,
    series_count bigint not null,
    latest_run_id uuid not null,
    constraint project_machine_pkey primary key (project_id, machine_id)
);
create index project_machine_machine_id_idx on project_machine (machine_id);
comment on table project_machine is 'How much a machine has measured of a project.';
comment on column project_machine.project_id is 'Of which project.';
comment on column project_machine.machine_id is 'Which machine.';
comment on column project_machine.run_count is 'Its uploads to the project.';
comment on column project_machine.commit_count is 'Commits that it was the first to measure: summed over machines, all that were measured.';
comment on column project_machine.series_count is 'Its series of the project.';
comment on column project_machine.latest_run_id is 'The largest of the runs'' keys, which begin with the time: the newest one. No foreign key, because it changes with each upload.';

alter table commit add column measured boolean not null default false;
comment on column commit.measured is 'Whether a run measured it; the machine that was the first to counts it in project_machine.commit_count.';

update commit set measured = true where exists (select from run where run.commit_id = commit.commit_id);

insert into project_machine (project_id, machine_id, run_count, commit_count, series_count, latest_run_id)
select run.project_id, run.machine_id, count(*), count(*) filter (where run.nth = 1),
       (select count(*) from series
        where series.project_id = run.project_id and series.machine_id = run.machine_id),
       (array_agg(run.run_id order by run.run_id desc))[1]
from (select *, row_number() over (partition by commit_id order by run_id) as nth from run) as run
group by run.project_id, run.machine_id;
