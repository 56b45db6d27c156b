-- What comes with an upload is written once, and found by its key in its table, not in its index alone. A vacuum of rows that
-- were only inserted would write their pages a second time for nothing: it waits until they are so old that PostgreSQL
-- freezes them, or until rows have been removed.
alter table run_upload set (autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1);
alter table run_original set (autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1);
alter table point_histogram set (autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1);
