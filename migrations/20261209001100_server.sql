-- What servers do by themselves, and short links.

create table task (
    task_id bigint generated always as identity constraint task_pkey primary key,
    name text not null constraint task_name_key unique,
    due_at timestamptz not null,
    fence bigint not null default 0,
    lease_expires_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    failure text
);
comment on table task is 'Work that servers do in the background, one of them at a time: whoever has the lease.';
comment on column task.task_id is 'Internal key.';
comment on column task.name is 'Which work: retention.';
comment on column task.due_at is 'When it is to be done again.';
comment on column task.fence is 'Grows with each lease: whoever holds an older one has lost the work to another server.';
comment on column task.lease_expires_at is 'Until then nobody else begins it; null while nobody does it.';
comment on column task.started_at is 'When it was last begun.';
comment on column task.finished_at is 'When it was last done.';
comment on column task.failure is 'Why it failed the last time; null when it did not.';

create table link (
    link_id bigint generated always as identity constraint link_pkey primary key,
    code text not null constraint link_code_key unique,
    path text not null,
    created_at timestamptz not null
);
comment on table link is 'A short name of a page, with what it shows.';
comment on column link.link_id is 'Internal key.';
comment on column link.code is 'Its name in /l/CODE: ten hexadecimal digits of the SHA-256 of the path.';
comment on column link.path is 'Path and query of the page.';
comment on column link.created_at is 'When somebody first asked for it.';
