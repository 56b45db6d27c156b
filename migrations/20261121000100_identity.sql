-- What is charted and where: projects, machines, environments.

create table project (
    project_id bigint generated always as identity constraint project_pkey primary key,
    slug text not null constraint project_slug_key unique,
    created_at timestamptz not null default now()
);
comment on table project is 'A git repository whose commits are charted.';
comment on column project.project_id is 'Internal key.';
comment on column project.slug is 'Its name in links.';
comment on column project.created_at is 'When its first run arrived.';

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
