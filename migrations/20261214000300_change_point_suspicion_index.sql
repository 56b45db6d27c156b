-- no-transaction
create index concurrently if not exists change_point_suspicion_id_idx on change_point (suspicion_id);
