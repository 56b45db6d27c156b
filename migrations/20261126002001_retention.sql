-- How long projects keep what, and what runs do not have any more. Nullable columns: an old server keeps everything.

alter table project
    add column upload_retention_days integer,
    add column histogram_retention_days integer,
    add column point_retention_days integer,
    add constraint project_upload_retention_days_check check (upload_retention_days > 0),
    add constraint project_histogram_retention_days_check check (histogram_retention_days > 0),
    add constraint project_point_retention_days_check check (point_retention_days > 0);
comment on column project.upload_retention_days is 'Uploads and imported files are removed so many days after they arrived; null: never.';
comment on column project.histogram_retention_days is 'Distributions of points are removed so many days after they arrived; null: never.';
comment on column project.point_retention_days is 'Points, and all else but the run itself, are removed so many days after they arrived; null: never.';

alter table run
    add column upload_pruned_at timestamptz,
    add column histograms_pruned_at timestamptz,
    add column points_pruned_at timestamptz;
comment on column run.upload_pruned_at is 'When its upload, and the file it was imported from, were removed by age; null: they are kept.';
comment on column run.histograms_pruned_at is 'When the distributions of its points were removed by age; null: they are kept.';
comment on column run.points_pruned_at is 'When its points were removed by age; null: they are kept.';

-- What the file was called is told for ever.
alter table run_original alter column file_zstd drop not null;
comment on column run_original.file_zstd is 'The file, compressed with zstd; null once it was removed by age.';
