-- no-transaction
create index concurrently if not exists job_pull_request_idx on job (project_id, pull_request, job_id)
where pull_request is not null;
