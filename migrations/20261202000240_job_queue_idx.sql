-- no-transaction
-- The order in which they are taken.
create index concurrently if not exists job_queue_idx on job (priority desc, turn, job_id) where done_at is null;
