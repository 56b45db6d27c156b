-- Jobs of continuous integration prove who they are with a token of their own system, and get one of ours for minutes:
-- no secret has to lie anywhere.

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
