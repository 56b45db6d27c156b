-- Tokens of three kinds, bound to where they are used, and rotated without a gap. Old servers make tokens of agents, as
-- before.

alter table token
    add column kind text not null default 'agent'
        constraint token_kind_check check (kind in ('user', 'agent', 'ci')),
    add column account_id bigint constraint token_account_id_fkey references account (account_id),
    add column project text,
    add column machine text,
    add column rotated_at timestamptz,
    add column previous_secret_sha256 bytea constraint token_previous_secret_sha256_key unique,
    add column previous_expires_at timestamptz,
    -- People have accounts; programs have none.
    add constraint token_account_id_check check ((kind = 'user') = (account_id is not null));
create index token_account_id_idx on token (account_id);
comment on column token.scopes is 'What it allows: read, ingest:write, project:write, admin.';
comment on column token.kind is 'Who uses it: user, agent or ci.';
comment on column token.account_id is 'Of a user''s token: whose rights it has, as far as its scopes go.';
comment on column token.project is 'The only project that it is good for, by name, because it may not exist yet; null: any.';
comment on column token.machine is 'The only machine that it uploads for, by name, because it may not exist yet; null: any.';
comment on column token.rotated_at is 'When its secret was replaced last, if ever.';
comment on column token.previous_secret_sha256 is 'SHA-256 of the secret before that.';
comment on column token.previous_expires_at is 'Until when that one is accepted as well.';
