-- Which job a run was measured for, and whether another agent had that job by then.

alter table run
    add column job_id bigint,
    add column superseded boolean not null default false;
alter table project add column repository_url text;
comment on column run.job_id is 'The job that it was measured for, if it was. No foreign key: runs are many, and this is only told.';
comment on column run.superseded is 'True when it was measured under a lease that another agent had taken over: kept, and part of no trend.';
comment on column project.repository_url is 'Where agents fetch its commits from; null: nobody has said it, and nothing is queued.';
