-- no-transaction
drop index concurrently if exists job_waiting_key;
