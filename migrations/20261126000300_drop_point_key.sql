-- no-transaction
drop index concurrently if exists point_key;
