-- What was written to GitHub of late, so that all servers together stay below its limits.

create table github_write (
    github_write_id bigint generated always as identity constraint github_write_pkey primary key,
    written_at timestamptz not null
);
create index github_write_written_at_idx on github_write (written_at);
comment on table github_write is 'A request that made or changed something at GitHub within the last hour. All servers share its limits.';
comment on column github_write.github_write_id is 'Internal key.';
comment on column github_write.written_at is 'When it was allowed.';
