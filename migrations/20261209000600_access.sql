-- Who may see and do what: accounts and their roles, tokens, sessions, trusted jobs of continuous integration, and the
-- audit log.

create table account (
    account_id bigint generated always as identity constraint account_pkey primary key,
    name text not null constraint account_name_key unique,
    github_login text,
    github_id bigint constraint account_github_id_key unique,
    is_admin boolean not null,
    created_at timestamptz not null
);
create unique index account_github_login_key on account (lower(github_login));
comment on table account is 'A person who signs in.';
comment on column account.account_id is 'Internal key.';
comment on column account.name is 'Its name on this server, a slug.';
comment on column account.github_login is 'Its login at GitHub, as an administrator wrote it or as GitHub told it last; null when it signs in by token alone.';
comment on column account.github_id is 'Its number at GitHub, learnt at the first sign-in: a login can change hands, the number cannot.';
comment on column account.is_admin is 'True when it may do everything on this server.';
comment on column account.created_at is 'When it was made.';

create table membership (
    project_id bigint not null constraint membership_project_id_fkey references project (project_id),
    account_id bigint not null constraint membership_account_id_fkey references account (account_id),
    role text not null
        constraint membership_role_check check (role in ('viewer', 'contributor', 'maintainer', 'admin')),
    created_at timestamptz not null,
    constraint membership_pkey primary key (project_id, account_id)
);
create index membership_account_id_idx on membership (account_id);
comment on table membership is 'Which role an account has in a project.';
comment on column membership.project_id is 'In which project.';
comment on column membership.account_id is 'Who.';
comment on column membership.role is 'viewer, contributor, maintainer or admin: each may do what those before it may.';
comment on column membership.created_at is 'When it became a member.';

create table token (
    token_id bigint generated always as identity constraint token_pkey primary key,
    name text not null,
    prefix text not null,
    secret_sha256 bytea not null constraint token_secret_sha256_key unique,
    scopes text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    kind text not null default 'agent' constraint token_kind_check check (kind in ('user', 'agent', 'ci')),
    account_id bigint constraint token_account_id_fkey references account (account_id),
    project text,
    machine text,
    rotated_at timestamptz,
    previous_secret_sha256 bytea constraint token_previous_secret_sha256_key unique,
    previous_expires_at timestamptz,
    -- People have accounts; programs have none.
    constraint token_account_id_check check ((kind = 'user') = (account_id is not null))
);
create index token_account_id_idx on token (account_id);
comment on table token is 'Bearer tokens. The secret itself is shown once and never stored.';
comment on column token.token_id is 'Internal key.';
comment on column token.name is 'What it is for.';
comment on column token.prefix is 'Its first characters: enough to recognise it in a list, too few to use.';
comment on column token.secret_sha256 is 'SHA-256 of the whole token; it has 178 random bits, so no slow hash is needed.';
comment on column token.scopes is 'What it allows: read, ingest:write, project:write, admin.';
comment on column token.created_at is 'When it was made.';
comment on column token.expires_at is 'When it ceases to be valid, if ever.';
comment on column token.last_used_at is 'When it was last accepted, to the minute.';
comment on column token.revoked_at is 'When it was taken back.';
comment on column token.kind is 'Who uses it: user, agent or ci.';
comment on column token.account_id is 'Of a user''s token: whose rights it has, as far as its scopes go.';
comment on column token.project is 'The only project that it is good for, by name, because it may not exist yet; null: any.';
comment on column token.machine is 'The only machine that it uploads for, by name, because it may not exist yet; null: any.';
comment on column token.rotated_at is 'When its secret was replaced last, if ever.';
comment on column token.previous_secret_sha256 is 'SHA-256 of the secret before that.';
comment on column token.previous_expires_at is 'Until when that one is accepted as well.';

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

-- Jobs of continuous integration prove who they are with a token of their own system, and get one of ours for minutes: no
-- secret has to lie anywhere.
create table oidc_trust (
    oidc_trust_id bigint generated always as identity constraint oidc_trust_pkey primary key,
    project text not null,
    issuer text not null,
    repository text not null,
    repository_id bigint not null,
    repository_owner_id bigint not null,
    workflow_ref text,
    git_ref text,
    environment text,
    created_at timestamptz not null
);
create index oidc_trust_repository_id_idx on oidc_trust (repository_id);
comment on table oidc_trust is 'Jobs that may upload to a project: those of one repository, as far as the patterns go. In a pattern * stands for any characters.';
comment on column oidc_trust.oidc_trust_id is 'Internal key.';
comment on column oidc_trust.project is 'The project, by name, because it may not exist yet.';
comment on column oidc_trust.issuer is 'Who signs for the jobs.';
comment on column oidc_trust.repository is 'The repository''s name when this was written, for people: names can change hands, so it decides nothing.';
comment on column oidc_trust.repository_id is 'The repository''s number at the issuer, which stays.';
comment on column oidc_trust.repository_owner_id is 'The number of whoever owns the repository: one that was given away is not trusted any more.';
comment on column oidc_trust.workflow_ref is 'Pattern of the workflow''s file and of the ref that it was read from; null: any.';
comment on column oidc_trust.git_ref is 'Pattern of the ref that the job runs for; null: any.';
comment on column oidc_trust.environment is 'Pattern of the environment that the job names; null: any, or none.';
comment on column oidc_trust.created_at is 'When it was written.';

create table oidc_use (
    oidc_use_id bigint generated always as identity constraint oidc_use_pkey primary key,
    oidc_trust_id bigint not null constraint oidc_use_oidc_trust_id_fkey references oidc_trust (oidc_trust_id),
    token_id bigint not null constraint oidc_use_token_id_fkey references token (token_id),
    issuer text not null,
    jti text not null,
    expires_at timestamptz not null,
    constraint oidc_use_issuer_jti_key unique (issuer, jti)
);
create index oidc_use_oidc_trust_id_idx on oidc_use (oidc_trust_id);
create index oidc_use_token_id_idx on oidc_use (token_id);
create index oidc_use_expires_at_idx on oidc_use (expires_at);
comment on table oidc_use is 'A job''s token that was exchanged: it is good for one exchange.';
comment on column oidc_use.oidc_use_id is 'Internal key.';
comment on column oidc_use.oidc_trust_id is 'By which trust.';
comment on column oidc_use.token_id is 'The token of ours that it was exchanged for.';
comment on column oidc_use.issuer is 'Who signed it.';
comment on column oidc_use.jti is 'Its identity at the issuer.';
comment on column oidc_use.expires_at is 'When neither token is valid any more: then the row goes, and the token of ours with it.';

-- Rows are added in the transaction of the change, and never updated.
create table audit_event (
    audit_event_id bigint generated always as identity constraint audit_event_pkey primary key,
    happened_at timestamptz not null,
    actor text not null,
    action text not null,
    subject text not null,
    request_id text,
    details jsonb not null
);
comment on table audit_event is 'Who changed what, when.';
comment on column audit_event.audit_event_id is 'Internal key; orders events as they were written.';
comment on column audit_event.happened_at is 'When.';
comment on column audit_event.actor is 'Who: account:NAME, token:NUMBER, anonymous, command-line or server.';
comment on column audit_event.action is 'What: token.create, membership.set, session.refuse and so on.';
comment on column audit_event.subject is 'On what: token:NUMBER, account:NAME, project:NAME.';
comment on column audit_event.request_id is 'The request''s id in the server''s log, if it was one.';
comment on column audit_event.details is 'What changed, from what, to what. Never a secret.';
