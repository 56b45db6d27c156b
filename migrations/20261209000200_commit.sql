-- Commits in the order of the graph.

create table commit (
    commit_id bigint generated always as identity constraint commit_pkey primary key,
    project_id bigint not null constraint commit_project_id_fkey references project (project_id),
    sha text not null,
    ordinal bigint not null,
    ordinal_is_estimate boolean not null,
    parents text[] not null,
    subject text not null,
    author text not null,
    committed_at timestamptz not null,
    measured boolean not null default false,
    constraint commit_project_id_sha_key unique (project_id, sha)
);
create index commit_project_id_ordinal_idx on commit (project_id, ordinal);
-- Few or none: those that wait for a certain relative.
create index commit_estimate_idx on commit (project_id) where ordinal_is_estimate;
-- Commits by words of their subjects. 'simple': names of things in code are no words of a language.
create index commit_subject_idx on commit using gin (to_tsvector('simple', subject));
comment on table commit is 'A commit of a project.';
comment on column commit.commit_id is 'Internal key.';
comment on column commit.project_id is 'Whose commit.';
comment on column commit.sha is 'Full object name.';
comment on column commit.ordinal is 'Commits on the first-parent path from the root, itself included: the order of charts.';
comment on column commit.ordinal_is_estimate is 'True when the agent had a shallow clone and the ordinal was derived from neighbours; corrected when a sure one arrives.';
comment on column commit.parents is 'Object names of the parents, the first parent first.';
comment on column commit.subject is 'First line of the message.';
comment on column commit.author is 'Name of the author.';
comment on column commit.committed_at is 'When it was committed. Never used to order commits.';
comment on column commit.measured is 'Whether a run measured it; the machine that was the first to counts it in project_machine.commit_count.';
