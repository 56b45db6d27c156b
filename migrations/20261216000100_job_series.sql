-- The search for a culprit measures one case, not all of a preset.
alter table job add column series_id bigint;
comment on column job.series_id is 'The series whose case alone is measured; null: all cases.';
