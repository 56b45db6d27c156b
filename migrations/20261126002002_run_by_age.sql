-- no-transaction
-- Runs of a project in the order in which they grow too old.
create index concurrently if not exists run_project_id_received_at_idx on run (project_id, received_at, run_id);
