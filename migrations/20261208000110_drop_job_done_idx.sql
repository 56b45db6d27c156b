-- no-transaction
-- Whoever takes a job changes no column of an index any more, so that none has to be told of it.
drop index concurrently if exists job_done_idx;
