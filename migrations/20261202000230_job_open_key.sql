-- no-transaction
-- The same is asked for once at a time.
create unique index concurrently if not exists job_open_key on job (
    project_id, commit_sha, coalesce(base_sha, ''), coalesce(machine_id, 0), labels, coalesce(preset, '')
) where done_at is null;
