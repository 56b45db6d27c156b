-- no-transaction
-- In place of point_histogram_key, which has the series first: with the run first, the histograms of an upload are next to
-- each other in the index, and not one in each of as many pages as there are series.
create unique index concurrently if not exists point_histogram_by_run
    on point_histogram (machine_id, run_id, series_id);
