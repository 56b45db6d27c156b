-- Who may upload.

create table token (
    token_id bigint generated always as identity constraint token_pkey primary key,
    name text not null,
    prefix text not null,
    secret_sha256 bytea not null constraint token_secret_sha256_key unique,
    scopes text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);
comment on table token is 'Bearer tokens. The secret itself is shown once and never stored.';
comment on column token.token_id is 'Internal key.';
comment on column token.name is 'What it is for.';
comment on column token.prefix is 'Its first characters: enough to recognise it in a list, too few to use.';
comment on column token.secret_sha256 is 'SHA-256 of the whole token; it has 178 random bits, so no slow hash is needed.';
comment on column token.scopes is 'What it allows: ingest:write.';
comment on column token.created_at is 'When it was made.';
comment on column token.expires_at is 'When it ceases to be valid, if ever.';
comment on column token.last_used_at is 'When it was last accepted, to the minute.';
comment on column token.revoked_at is 'When it was taken back.';
