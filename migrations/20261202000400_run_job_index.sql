-- no-transaction
create index concurrently if not exists run_job_id_idx on run (job_id) where job_id is not null;
