-- no-transaction
-- Commits by words of their subjects. 'simple': names of things in code are no words of a language.
create index concurrently if not exists commit_subject_idx on commit using gin (to_tsvector('simple', subject));
