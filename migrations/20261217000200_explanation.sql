-- Why a case became slower: found by the agent that compared two commits in pairs.

create table explanation (
    explanation_id bigint generated always as identity constraint explanation_pkey primary key,
    project_id bigint not null constraint explanation_project_id_fkey references project (project_id),
    series_id bigint not null constraint explanation_series_id_fkey references series (series_id),
    commit_id bigint not null constraint explanation_commit_id_fkey references commit (commit_id),
    run_id uuid not null,
    contents jsonb not null,
    created_at timestamptz not null,
    constraint explanation_run_key unique (run_id, series_id)
);
create index explanation_project_id_idx on explanation (project_id);
create index explanation_series_id_idx on explanation (series_id);
create index explanation_commit_id_idx on explanation (commit_id, explanation_id);
comment on table explanation is 'Why a commit is slower than another one in a case, per message.';
comment on column explanation.explanation_id is 'Key.';
comment on column explanation.project_id is 'The project.';
comment on column explanation.series_id is 'The series of the slower result.';
comment on column explanation.commit_id is 'The slower commit.';
comment on column explanation.run_id is 'The run with the slower result. No foreign key, because there are many runs.';
comment on column explanation.contents is 'As in the report: {base_sha, change_ns, findings: [{rule, text, explains_ns, function}, …], unexplained_ns, notes}.';
comment on column explanation.created_at is 'Time of the upload.';
