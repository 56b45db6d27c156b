-- Short links to pages.

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
