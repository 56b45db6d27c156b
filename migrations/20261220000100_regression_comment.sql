-- Users discuss a regression on its page, next to the history of its triage.

create table regression_comment (
    regression_comment_id bigint generated always as identity constraint regression_comment_pkey primary key,
    regression_id bigint not null
        constraint regression_comment_regression_id_fkey references regression (regression_id),
    created_by text not null,
    contents text not null,
    created_at timestamptz not null
);
create index regression_comment_regression_id_idx on regression_comment (regression_id);
comment on table regression_comment is 'A comment on a regression.';
comment on column regression_comment.regression_comment_id is 'Key, used in the API.';
comment on column regression_comment.regression_id is 'The regression.';
comment on column regression_comment.created_by is 'The author, as in audit_event.actor.';
comment on column regression_comment.contents is 'The text, at most 4,000 characters.';
comment on column regression_comment.created_at is 'Time of creation.';
