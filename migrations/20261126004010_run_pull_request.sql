-- no-transaction
-- The runs of pull requests, few among all, by number.
create index concurrently if not exists run_pull_request_idx on run (project_id, pull_request, run_id)
    where pull_request is not null;
