-- no-transaction
create index concurrently if not exists job_done_idx on job (agent_id, project_id, done_at) where status = 'done';
