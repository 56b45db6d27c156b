-- Where the App is installed, and which project a repository is.

create table github_installation (
    github_installation_id bigint constraint github_installation_pkey primary key,
    account text not null,
    suspended_at timestamptz,
    removed_at timestamptz,
    read_at timestamptz not null
);
comment on table github_installation is 'An account at GitHub in which the App is, or was, installed.';
comment on column github_installation.github_installation_id is 'GitHub''s number of the installation.';
comment on column github_installation.account is 'The login of the account.';
comment on column github_installation.suspended_at is 'Since when it is suspended; null when it is not.';
comment on column github_installation.removed_at is 'Since when it is known to be gone; null while it is there.';
comment on column github_installation.read_at is 'When it was last read from GitHub.';

create table github_repository (
    github_repository_id bigint constraint github_repository_pkey primary key,
    github_installation_id bigint not null
        constraint github_repository_github_installation_id_fkey
        references github_installation (github_installation_id),
    full_name text not null,
    is_private boolean not null,
    default_branch text not null,
    default_branch_sha text,
    default_branch_moved_at timestamptz,
    project_id bigint
        constraint github_repository_project_id_key unique
        constraint github_repository_project_id_fkey references project (project_id),
    removed_at timestamptz
);
create index github_repository_github_installation_id_idx on github_repository (github_installation_id);
comment on table github_repository is 'A repository that the App may use, or could.';
comment on column github_repository.github_repository_id is 'GitHub''s number of the repository, which stays when its name changes.';
comment on column github_repository.github_installation_id is 'Through which installation.';
comment on column github_repository.full_name is 'Its owner and name, as GitHub told them last.';
comment on column github_repository.is_private is 'Whether strangers cannot see it.';
comment on column github_repository.default_branch is 'The branch into which pull requests go unless they say otherwise.';
comment on column github_repository.default_branch_sha is 'The newest commit of that branch that a push told of; null before the first.';
comment on column github_repository.default_branch_moved_at is 'When that commit was first told of.';
comment on column github_repository.project_id is 'The project whose commits are those of this repository; null until a maintainer says so.';
comment on column github_repository.removed_at is 'Since when the App may not use it any more; null while it may.';
