-- What GitHub told, where the App is installed, and what was written on pull requests.

-- Kept from before it is acknowledged until it was handled, and long enough to know it again.
create table github_delivery (
    github_delivery_id uuid constraint github_delivery_pkey primary key,
    event text not null,
    payload jsonb not null,
    received_at timestamptz not null,
    due_at timestamptz not null,
    handled_at timestamptz,
    attempts integer not null default 0,
    failure text
);
create index github_delivery_due_at_idx on github_delivery (due_at) where handled_at is null;
create index github_delivery_received_at_idx on github_delivery (received_at);
comment on table github_delivery is 'An event that GitHub delivered, signed. It is a hint: what is so is read again from GitHub.';
comment on column github_delivery.github_delivery_id is 'GitHub''s own name of the delivery, the same when it is sent again.';
comment on column github_delivery.event is 'Which event: pull_request, push, issue_comment, check_run, check_suite, installation, installation_repositories.';
comment on column github_delivery.payload is 'What of the event is used.';
comment on column github_delivery.received_at is 'When it arrived first.';
comment on column github_delivery.due_at is 'When it is to be handled, at first or again.';
comment on column github_delivery.handled_at is 'When it was handled, or given up; null while it waits.';
comment on column github_delivery.attempts is 'How often handling it has failed.';
comment on column github_delivery.failure is 'Why it failed the last time; null when it never did.';

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
    removed_at timestamptz,
    queued_sha text
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
comment on column github_repository.queued_sha is 'The newest commit of the default branch that machines were asked to measure.';

create table github_pull_request (
    github_pull_request_id bigint generated always as identity constraint github_pull_request_pkey primary key,
    project_id bigint not null
        constraint github_pull_request_project_id_fkey references project (project_id),
    github_repository_id bigint not null
        constraint github_pull_request_github_repository_id_fkey
        references github_repository (github_repository_id),
    number bigint not null,
    state text not null constraint github_pull_request_state_check check (state in ('open', 'closed')),
    author text not null,
    head_sha text not null,
    head_pushed_at timestamptz not null,
    base_sha text not null,
    base_branch text not null,
    is_fork boolean not null,
    approved_sha text,
    approved_by text,
    approved_at timestamptz,
    comment_id bigint,
    comment_sha256 bytea,
    check_run_id bigint,
    check_head_sha text,
    check_sha256 bytea,
    due_at timestamptz,
    attempts integer not null default 0,
    failure text,
    said_at timestamptz,
    constraint github_pull_request_project_id_number_key unique (project_id, number),
    constraint github_pull_request_approved_check check (approved_sha is null or approved_sha = head_sha)
);
create index github_pull_request_github_repository_id_idx on github_pull_request (github_repository_id);
create index github_pull_request_due_at_idx on github_pull_request (due_at) where due_at is not null;
comment on table github_pull_request is 'A pull request as it was last read from GitHub, and what this server wrote on it.';
comment on column github_pull_request.github_pull_request_id is 'Internal key.';
comment on column github_pull_request.project_id is 'Of which project.';
comment on column github_pull_request.github_repository_id is 'In which repository.';
comment on column github_pull_request.number is 'Its number there.';
comment on column github_pull_request.state is 'open or closed; what is merged is closed.';
comment on column github_pull_request.author is 'The login of whoever opened it.';
comment on column github_pull_request.head_sha is 'Its newest commit.';
comment on column github_pull_request.head_pushed_at is 'When that commit was pushed, or first known here: whoever asked for something before did not see it.';
comment on column github_pull_request.base_sha is 'The commit that it is to be merged into.';
comment on column github_pull_request.base_branch is 'The branch that it is to be merged into.';
comment on column github_pull_request.is_fork is 'Whether its commits are from another repository: what they measure is kept apart.';
comment on column github_pull_request.approved_sha is 'The one commit that somebody with write access asked to measure. Gone with the next push.';
comment on column github_pull_request.approved_by is 'Who did.';
comment on column github_pull_request.approved_at is 'When.';
comment on column github_pull_request.comment_id is 'GitHub''s number of the comment; null before one was written.';
comment on column github_pull_request.comment_sha256 is 'SHA-256 of what the comment says, so that it is not written again.';
comment on column github_pull_request.check_run_id is 'GitHub''s number of the check; null before one was written.';
comment on column github_pull_request.check_head_sha is 'The commit that the check is of: another one has another check.';
comment on column github_pull_request.check_sha256 is 'SHA-256 of what the check says.';
comment on column github_pull_request.due_at is 'When comment and check are to be brought up to date; null when they are.';
comment on column github_pull_request.attempts is 'How often that has failed since it last succeeded.';
comment on column github_pull_request.failure is 'Why it failed the last time; null when it did not.';
comment on column github_pull_request.said_at is 'When comment and check were last compared with what became of its jobs: what changed since is to be said.';

create table github_command (
    github_command_id bigint generated always as identity constraint github_command_pkey primary key,
    github_pull_request_id bigint not null
        constraint github_command_github_pull_request_id_fkey
        references github_pull_request (github_pull_request_id) on delete cascade,
    source text not null constraint github_command_source_key unique,
    kind text not null
        constraint github_command_kind_check check (kind in ('queue', 'cancel', 'ack', 'retry')),
    preset text,
    machines text[] not null,
    reason text,
    head_sha text not null,
    requested_by text not null,
    requested_at timestamptz not null,
    done_at timestamptz
);
create index github_command_github_pull_request_id_idx on github_command (github_pull_request_id);
create index github_command_waiting_idx on github_command (github_command_id) where done_at is null;
comment on table github_command is 'What somebody with write access asked for on a pull request.';
comment on column github_command.github_command_id is 'Internal key, in the order in which they were accepted.';
comment on column github_command.github_pull_request_id is 'On which pull request.';
comment on column github_command.source is 'Where it stands: comment:NUMBER:PLACE, or check:DELIVERY. The same one told again is the same command.';
comment on column github_command.kind is 'queue, cancel, ack or retry.';
comment on column github_command.preset is 'Of queue: what to measure; null for what is usual.';
comment on column github_command.machines is 'Of queue and retry: where; empty for everywhere.';
comment on column github_command.reason is 'Of ack: why the change is accepted.';
comment on column github_command.head_sha is 'The commit that it was asked for.';
comment on column github_command.requested_by is 'The login of who asked.';
comment on column github_command.requested_at is 'When the comment was written, or the button pressed.';
comment on column github_command.done_at is 'When it was acted upon; null while it waits.';

create table github_write (
    github_write_id bigint generated always as identity constraint github_write_pkey primary key,
    written_at timestamptz not null
);
create index github_write_written_at_idx on github_write (written_at);
comment on table github_write is 'A request that made or changed something at GitHub within the last hour. All servers share its limits.';
comment on column github_write.github_write_id is 'Internal key.';
comment on column github_write.written_at is 'When it was allowed.';
