-- Who may see and do what: accounts, their roles in projects, and which projects strangers may read.

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

alter table project add column visibility text not null default 'public'
    constraint project_visibility_check check (visibility in ('public', 'private'));
comment on column project.visibility is 'public: anyone who may read on this server reads it; private: its members do.';
