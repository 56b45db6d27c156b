-- Whom projects tell what happens, and what is to be told: few rows, none of them distributed.

create table notification_channel (
    notification_channel_id bigint generated always as identity constraint notification_channel_pkey primary key,
    project_id bigint not null constraint notification_channel_project_id_fkey references project (project_id),
    name text not null,
    kind text not null
        constraint notification_channel_kind_check check (kind in ('slack', 'webhook', 'email')),
    target text not null,
    secret text,
    events text[] not null,
    enabled_at timestamptz,
    disabled_because text,
    refusal_count integer not null default 0,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    failure text,
    created_by text not null,
    created_at timestamptz not null,
    constraint notification_channel_name_key unique (project_id, name)
);
comment on table notification_channel is 'Whom a project tells what happens. A project has none at first.';
comment on column notification_channel.notification_channel_id is 'Its number in the API.';
comment on column notification_channel.project_id is 'Whose.';
comment on column notification_channel.name is 'What people call it; one of its name in a project.';
comment on column notification_channel.kind is 'slack, webhook or email: how it is told.';
comment on column notification_channel.target is 'Where: an address of the web, or of e-mail. Whoever knows the one of a Slack channel can write there, so that no answer of the API holds it.';
comment on column notification_channel.secret is 'The key with which messages to a webhook are signed, in base64; null for other kinds. It is stored as it is, not as a hash, because each signature is made with it: whoever reads this table can sign in the name of this server. It is shown once, when the channel is made.';
comment on column notification_channel.events is 'What it is told of: regressed, fixed, improved, machine.';
comment on column notification_channel.enabled_at is 'Since when it is told; what was found before is not. Null while it is turned off.';
comment on column notification_channel.disabled_because is 'Why the server turned it off, as a sentence; null when it is on, or people turned it off.';
comment on column notification_channel.refusal_count is 'How often it refused in a row, in a way that trying again does not mend.';
comment on column notification_channel.last_success_at is 'When it last took a message.';
comment on column notification_channel.last_failure_at is 'When it last did not.';
comment on column notification_channel.failure is 'Why it did not, as a sentence.';
comment on column notification_channel.created_by is 'Who made it, as in the audit log: account:NAME or token:NUMBER.';
comment on column notification_channel.created_at is 'When.';

create table notification_message (
    notification_message_id uuid constraint notification_message_pkey primary key,
    notification_channel_id bigint not null
        constraint notification_message_notification_channel_id_fkey references notification_channel (notification_channel_id),
    event text not null,
    payload jsonb not null,
    in_reply_to uuid[] not null,
    created_at timestamptz not null,
    due_at timestamptz not null,
    attempts integer not null default 0,
    lease_expires_at timestamptz,
    sent_at timestamptz,
    given_up_at timestamptz,
    failure text
);
create index notification_message_notification_channel_id_idx
    on notification_message (notification_channel_id, created_at);
create index notification_message_due_at_idx
    on notification_message (due_at) where sent_at is null and given_up_at is null;
comment on table notification_message is 'Messages, from when it is known what they say until somebody took them. A server that sends one has a lease on it, so that another one goes on where it ends.';
comment on column notification_message.notification_message_id is 'Its identity, the same each time that it is sent: whoever got it before knows it by this.';
comment on column notification_message.notification_channel_id is 'To whom.';
comment on column notification_message.event is 'What it tells of: one of the channel''s events.';
comment on column notification_message.payload is 'What it says, in the form that webhooks get.';
comment on column notification_message.in_reply_to is 'The messages that told of the regressions which this one says are fixed.';
comment on column notification_message.created_at is 'When it was composed.';
comment on column notification_message.due_at is 'When it is sent, or sent again.';
comment on column notification_message.attempts is 'How often it was begun to be sent; whoever has the lease knows by it that it still has it.';
comment on column notification_message.lease_expires_at is 'Until when nobody else sends it; null when nobody does.';
comment on column notification_message.sent_at is 'When it was taken.';
comment on column notification_message.given_up_at is 'When it was given up.';
comment on column notification_message.failure is 'Why it was not taken the last time, as a sentence.';

create table notification (
    notification_id bigint generated always as identity constraint notification_pkey primary key,
    notification_channel_id bigint not null
        constraint notification_notification_channel_id_fkey references notification_channel (notification_channel_id),
    event text not null,
    subject text not null,
    regression_id bigint constraint notification_regression_id_fkey references regression (regression_id),
    machine_id bigint constraint notification_machine_id_fkey references machine (machine_id),
    why text,
    created_at timestamptz not null,
    due_at timestamptz not null,
    dropped_at timestamptz,
    notification_message_id uuid
        constraint notification_notification_message_id_fkey references notification_message (notification_message_id),
    constraint notification_subject_key unique (notification_channel_id, event, subject)
);
create index notification_regression_id_idx on notification (regression_id);
create index notification_machine_id_idx on notification (machine_id);
create index notification_notification_message_id_idx on notification (notification_message_id);
create index notification_due_at_idx
    on notification (due_at) where notification_message_id is null and dropped_at is null;
comment on table notification is 'What a channel is told, once: written in the transaction that finds it, so that none is forgotten, and put into a message a little later, together with what was found meanwhile.';
comment on column notification.notification_id is 'Its number.';
comment on column notification.notification_channel_id is 'Who is told.';
comment on column notification.event is 'What happened: one of the channel''s events.';
comment on column notification.subject is 'To what: regression:NUMBER or machine:NUMBER:DAY. A channel is told of an event of a subject once.';
comment on column notification.regression_id is 'To which regression; null when it was to a machine.';
comment on column notification.machine_id is 'To which machine; null when it was to a regression.';
comment on column notification.why is 'What is the matter with the machine, in words that follow its name; null for a regression.';
comment on column notification.created_at is 'When it was found.';
comment on column notification.due_at is 'When it is put into a message.';
comment on column notification.dropped_at is 'When it turned out, before it was told, that it was not true any more, or that nobody wants to know.';
comment on column notification.notification_message_id is 'The message that tells it; null before there is one.';
