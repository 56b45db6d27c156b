-- Each result of a search for a culprit is used once, by one server.
alter table regression add column searched_job_id bigint;
comment on column regression.searched_job_id is 'Newest paired job whose result the search for the culprit has used; null: none.';
