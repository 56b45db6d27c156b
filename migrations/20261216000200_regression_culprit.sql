-- The inbox names the commit that paired comparisons confirmed, instead of the range.
alter table regression add column culprit_commit_id bigint;
comment on column regression.culprit_commit_id is 'The commit that paired comparisons confirmed as the cause; null: none.';
