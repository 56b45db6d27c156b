-- Agents that were let in, and the codes that let them in.

create table enrolment (
    enrolment_id bigint generated always as identity constraint enrolment_pkey primary key,
    code_sha256 bytea not null constraint enrolment_code_sha256_key unique,
    project text,
    machine text,
    labels text[] not null,
    created_by text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
comment on table enrolment is 'Codes with which agents are let in, each once.';
comment on column enrolment.enrolment_id is 'Internal key.';
comment on column enrolment.code_sha256 is 'SHA-256 of the code; it has 178 random bits, so no slow hash is needed.';
comment on column enrolment.project is 'The only project that the agent works for, by name, because it may not exist yet; null: any.';
comment on column enrolment.machine is 'The only machine that it is good for, whose agent of before it replaces; null: any that has no agent.';
comment on column enrolment.labels is 'What the agent is labelled with.';
comment on column enrolment.created_by is 'Who made it, as in the audit log.';
comment on column enrolment.created_at is 'When it was made.';
comment on column enrolment.expires_at is 'When it ceases to be valid.';
comment on column enrolment.used_at is 'When an agent was let in with it; null: not yet.';

create table agent (
    agent_id bigint generated always as identity constraint agent_pkey primary key,
    machine_id bigint not null constraint agent_machine_id_fkey references machine (machine_id),
    project text,
    labels text[] not null,
    public_key bytea not null,
    token_id bigint not null constraint agent_token_id_fkey references token (token_id),
    is_enabled boolean not null,
    enrolled_at timestamptz not null,
    revoked_at timestamptz,
    last_seen_at timestamptz not null,
    version text,
    failing text[] not null default '{}',
    suspect text[] not null default '{}',
    spooled_count integer not null default 0,
    challenge bytea,
    challenge_expires_at timestamptz
);
create unique index agent_machine_id_key on agent (machine_id) where revoked_at is null;
create index agent_machine_id_idx on agent (machine_id);
create unique index agent_token_id_key on agent (token_id);
comment on table agent is 'Agents: each measures on one machine what the queue asks for.';
comment on column agent.agent_id is 'Its number.';
comment on column agent.machine_id is 'Where it runs. One agent a machine.';
comment on column agent.project is 'The only project that it works for, by name; null: any.';
comment on column agent.labels is 'What it has, for jobs that ask for it.';
comment on column agent.public_key is 'Its Ed25519 public key. Whoever has the other half is given its tokens.';
comment on column agent.token_id is 'Its token.';
comment on column agent.is_enabled is 'Whether it is given jobs. One that is not finishes what it has: it drains.';
comment on column agent.enrolled_at is 'When it was let in.';
comment on column agent.revoked_at is 'When it was turned away; null: it was not.';
comment on column agent.last_seen_at is 'When it was last heard of.';
comment on column agent.version is 'Of its program, as it said last.';
comment on column agent.failing is 'Why it cannot measure, as it said last: it is given no jobs.';
comment on column agent.suspect is 'Why what it measures is doubtful, as it said last.';
comment on column agent.spooled_count is 'Reports that waited for this server when it was last heard of.';
comment on column agent.challenge is 'What it is to sign for its next token.';
comment on column agent.challenge_expires_at is 'Until when.';
