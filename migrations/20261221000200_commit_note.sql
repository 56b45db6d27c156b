-- Notes of users on commits, shown in all charts of a project.
create table commit_note (
    commit_note_id bigint generated always as identity constraint commit_note_pkey primary key,
    project_id bigint not null constraint commit_note_project_id_fkey references project (project_id),
    commit_id bigint not null constraint commit_note_commit_id_fkey references commit (commit_id),
    text text not null,
    created_by text not null,
    created_at timestamptz not null
);
create index commit_note_project_id_idx on commit_note (project_id, commit_note_id);
create index commit_note_commit_id_idx on commit_note (commit_id);
comment on table commit_note is 'A note of a user on a commit.';
comment on column commit_note.commit_note_id is 'Number of the note.';
comment on column commit_note.project_id is 'The project, which is also that of the commit.';
comment on column commit_note.commit_id is 'The commit.';
comment on column commit_note.text is 'Plain text.';
comment on column commit_note.created_by is 'The author, as in the audit log: account:NAME.';
comment on column commit_note.created_at is 'Time of creation.';
