-- no-transaction
-- How long jobs took is read where it is written once, at their end.
create index concurrently if not exists job_attempt_done_idx on job_attempt (agent_id, ended_at) where outcome = 'done';
