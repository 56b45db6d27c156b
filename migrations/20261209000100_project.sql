-- What is charted and where: projects, machines, environments.

create table project (
    project_id bigint generated always as identity constraint project_pkey primary key,
    slug text not null constraint project_slug_key unique,
    created_at timestamptz not null default now(),
    default_branch text,
    visibility text not null default 'public'
        constraint project_visibility_check check (visibility in ('public', 'private')),
    upload_retention_days integer
        constraint project_upload_retention_days_check check (upload_retention_days > 0),
    histogram_retention_days integer
        constraint project_histogram_retention_days_check check (histogram_retention_days > 0),
    point_retention_days integer
        constraint project_point_retention_days_check check (point_retention_days > 0),
    repository_url text,
    fails_on_regression boolean not null default false
);
comment on table project is 'A git repository whose commits are charted.';
comment on column project.project_id is 'Internal key.';
comment on column project.slug is 'Its name in links.';
comment on column project.created_at is 'When its first run arrived.';
comment on column project.default_branch is 'The branch whose runs make the trend; null until one is known: then all runs without a pull request do.';
comment on column project.visibility is 'public: anyone who may read on this server reads it; private: its members do.';
comment on column project.upload_retention_days is 'Uploads and imported files are removed so many days after they arrived; null: never.';
comment on column project.histogram_retention_days is 'Distributions of points are removed so many days after they arrived; null: never.';
comment on column project.point_retention_days is 'Points, and all else but the run itself, are removed so many days after they arrived; null: never.';
comment on column project.repository_url is 'Where agents fetch its commits from; null: nobody has said it, and nothing is queued.';
comment on column project.fails_on_regression is 'Whether the check of a pull request fails when it makes something slower and nobody has accepted it.';

create table machine (
    machine_id bigint generated always as identity constraint machine_pkey primary key,
    slug text not null constraint machine_slug_key unique,
    os text not null,
    arch text not null,
    created_at timestamptz not null default now()
);
comment on table machine is 'One physical or virtual host with an agent.';
comment on column machine.machine_id is 'Internal key; points are distributed by it.';
comment on column machine.slug is 'Its name in charts and links.';
comment on column machine.os is 'Operating system family: linux, macos, windows, freebsd.';
comment on column machine.arch is 'Processor architecture.';
comment on column machine.created_at is 'When its first run arrived.';

create table environment (
    environment_id bigint generated always as identity constraint environment_pkey primary key,
    digest bytea not null constraint environment_digest_key unique,
    stable jsonb not null,
    created_at timestamptz not null default now()
);
comment on table environment is 'A machine''s fingerprint: the facts that make two runs comparable.';
comment on column environment.environment_id is 'Internal key; a series shows where it changes.';
comment on column environment.digest is 'SHA-256 of the stable facts: equal if and only if all of them are.';
comment on column environment.stable is 'The facts, by topic.name.';
comment on column environment.created_at is 'When it was first seen.';
