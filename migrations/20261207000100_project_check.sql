-- Whether a pull request that makes something slower fails its check.

alter table project add column fails_on_regression boolean not null default false;
comment on column project.fails_on_regression is 'Whether the check of a pull request fails when it makes something slower and nobody has accepted it.';
