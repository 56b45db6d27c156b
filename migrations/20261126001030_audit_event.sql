-- Who changed what may be done. Rows are added in the transaction of the change, and never updated.

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
