-- Who is signed in to the web interface.

create table session (
    session_id bigint generated always as identity constraint session_pkey primary key,
    account_id bigint not null constraint session_account_id_fkey references account (account_id),
    token_id bigint constraint session_token_id_fkey references token (token_id),
    secret_sha256 bytea not null constraint session_secret_sha256_key unique,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    expires_at timestamptz not null
);
create index session_account_id_idx on session (account_id);
create index session_token_id_idx on session (token_id);
comment on table session is 'One browser that is signed in.';
comment on column session.session_id is 'Internal key.';
comment on column session.account_id is 'Who.';
comment on column session.token_id is 'The token it signed in with: the session may do what that may, and ends with it. Null: by GitHub.';
comment on column session.secret_sha256 is 'SHA-256 of what the cookie holds; it has 178 random bits, so no slow hash is needed.';
comment on column session.created_at is 'When it signed in.';
comment on column session.last_used_at is 'When it last asked for something, to the minute: a session that is idle for too long ends.';
comment on column session.expires_at is 'When it ends however busy it is.';
