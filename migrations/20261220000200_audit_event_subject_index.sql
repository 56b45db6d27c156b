-- no-transaction
-- The timeline of a regression reads its triage from the audit log.
create index concurrently if not exists audit_event_subject_idx on audit_event (subject) where action = 'regression.change';
