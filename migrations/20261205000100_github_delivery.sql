-- What GitHub told: kept from before it is acknowledged until it was handled, and long enough to know it again.

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
