-- no-transaction
-- In place of point_by_series, which includes the columns that chart_line is made of.
create unique index concurrently if not exists point_line
    on point (machine_id, series_id, commit_ordinal, run_id) include (mainline, lossy, chart_line);
