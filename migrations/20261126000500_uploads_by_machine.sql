-- What comes with one upload is stored in one place: kept uploads and files by machine, as points. Then run_result, which
-- has been filled from it, takes the place of run_outcome.

alter table run_upload add column machine_id bigint;
update run_upload set machine_id = run.machine_id from run where run.run_id = run_upload.run_id;
alter table run_upload
    alter column machine_id set not null,
    drop constraint run_upload_run_id_fkey,
    drop constraint run_upload_pkey;
create unique index run_upload_key on run_upload (machine_id, run_id);
comment on column run_upload.machine_id is 'Distribution key, as in point.';

alter table run_original add column machine_id bigint;
update run_original set machine_id = run.machine_id from run where run.run_id = run_original.run_id;
alter table run_original
    alter column machine_id set not null,
    drop constraint run_original_run_id_fkey,
    drop constraint run_original_pkey;
create unique index run_original_key on run_original (machine_id, run_id);
comment on column run_original.machine_id is 'Distribution key, as in point.';

drop table run_outcome;

comment on column point_histogram.histogram is 'HdrHistogram V2 without deflate: 1 ns to 60 s, 3 digits.';
