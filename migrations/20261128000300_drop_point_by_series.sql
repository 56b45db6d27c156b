-- no-transaction
drop index concurrently if exists point_by_series;
