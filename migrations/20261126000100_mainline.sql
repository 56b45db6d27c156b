-- Which points make a trend, and the values that verdicts are made of. The arrays are empty, and everything is on the main
-- line, where a point was stored before these columns.

alter table project add column default_branch text;
comment on column project.default_branch is 'The branch whose runs make the trend; null until one is known: then all runs without a pull request do.';

alter table point
    add column mainline boolean not null default true,
    add column repetition_p50_ns bigint[] not null default '{}',
    add column repetition_p90_ns bigint[] not null default '{}',
    add column repetition_p99_ns bigint[] not null default '{}';
comment on column point.mainline is 'True when the run is part of the trend: no pull request''s, and of no other branch than the project''s default.';
comment on column point.repetition_p50_ns is 'Median of each repetition, in the order of the upload: the repetition is the unit of comparison.';
comment on column point.repetition_p90_ns is '90 % quantile of each repetition.';
comment on column point.repetition_p99_ns is '99 % quantile of each repetition.';

-- Charts read the index alone where its pages are known to be visible to all, which a vacuum finds out. By default the first
-- one after many millions of rows comes when a fifth of them is new.
alter table point set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 100000);

alter table summary add column mainline boolean not null default true;
comment on column summary.mainline is 'As in point.';
