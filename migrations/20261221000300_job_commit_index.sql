-- no-transaction
-- The page of a commit lists its jobs.
create index concurrently if not exists job_commit_sha_idx on job (project_id, commit_sha, job_id);
