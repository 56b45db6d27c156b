-- What is measured and how: transports, cases, methodologies, and the series they make.

create table transport (
    transport_id bigint generated always as identity constraint transport_pkey primary key,
    slug text not null constraint transport_slug_key unique,
    title text not null,
    family text not null,
    semantics text not null,
    control boolean not null
);
comment on table transport is 'A mechanism that carries messages, as the newest agent described it. Data, never an enum.';
comment on column transport.transport_id is 'Internal key.';
comment on column transport.slug is 'Its name everywhere.';
comment on column transport.title is 'Its name for people.';
comment on column transport.family is 'Kind of mechanism: pipe, socket, shared-memory.';
comment on column transport.semantics is 'What carries the bytes and what is copied.';
comment on column transport.control is 'True when a commit of the tracked repository cannot have changed it.';

create table measured_case (
    case_id bigint generated always as identity constraint measured_case_pkey primary key,
    digest bytea not null constraint measured_case_digest_key unique,
    transport_id bigint not null constraint measured_case_transport_id_fkey references transport (transport_id),
    scenario text not null,
    message_bytes bigint not null,
    total_bytes bigint,
    peers bigint not null,
    mode text not null,
    placement text not null,
    -- A case without one of these has the digest that it had before there were any: absent parameters have no part in it.
    buffer_bytes bigint,
    rate_per_second bigint,
    size_profile text,
    senders bigint,
    messages bigint,
    variant text,
    benchmark text,
    operations bigint
);
create index measured_case_transport_id_idx on measured_case (transport_id);
comment on table measured_case is 'Transport, scenario and parameters. Called a case everywhere else: that word is reserved in SQL.';
comment on column measured_case.case_id is 'Internal key.';
comment on column measured_case.digest is 'SHA-256 of transport and parameters.';
comment on column measured_case.transport_id is 'The mechanism.';
comment on column measured_case.scenario is 'Traffic pattern.';
comment on column measured_case.message_bytes is 'Bytes of one message.';
comment on column measured_case.total_bytes is 'Bytes of one operation, where it takes several messages.';
comment on column measured_case.peers is 'How many receivers.';
comment on column measured_case.mode is '2proc or 2thread.';
comment on column measured_case.placement is 'same-cpu, cross-cpu or free.';
comment on column measured_case.buffer_bytes is 'The kernel buffer that was asked for; null: the system''s default.';
comment on column measured_case.rate_per_second is 'In open-loop: messages a second.';
comment on column measured_case.size_profile is 'Where sizes are drawn from; message_bytes is then the largest.';
comment on column measured_case.senders is 'How many senders; null: one.';
comment on column measured_case.messages is 'Messages of one operation, of all senders together, where the case says so.';
comment on column measured_case.variant is 'Which of several programs of this transport; null where there is one.';
comment on column measured_case.benchmark is 'What an imported benchmark is called; null where the suite measured.';
comment on column measured_case.operations is 'Operations that a time is of, where a tool states averages; null: one.';

create table methodology (
    methodology_id bigint generated always as identity constraint methodology_pkey primary key,
    digest bytea not null constraint methodology_digest_key unique,
    document jsonb not null
);
comment on table methodology is 'How it was measured. Two methodologies are never compared.';
comment on column methodology.methodology_id is 'Internal key.';
comment on column methodology.digest is 'SHA-256 of the document.';
comment on column methodology.document is 'All of it, as it was sent.';

create table series (
    series_id bigint generated always as identity constraint series_pkey primary key,
    project_id bigint not null constraint series_project_id_fkey references project (project_id),
    machine_id bigint not null constraint series_machine_id_fkey references machine (machine_id),
    case_id bigint not null constraint series_case_id_fkey references measured_case (case_id),
    methodology_id bigint not null constraint series_methodology_id_fkey references methodology (methodology_id),
    -- Both hold what never changes in a series, and are written with it; the title of a transport changes, so it is not among
    -- that.
    sort_key text collate "C" not null default '',
    search tsvector not null default '',
    constraint series_identity_key unique (project_id, machine_id, case_id, methodology_id)
);
create index series_machine_id_idx on series (machine_id);
create index series_case_id_idx on series (case_id);
create index series_methodology_id_idx on series (methodology_id);
create index series_project_id_sort_key_idx on series (project_id, sort_key, series_id);
-- Without a list of what is pending: series are read far more often than they are made.
create index series_search_idx on series using gin (search) with (fastupdate = off);
comment on table series is 'One case, measured one way, on one machine, over the commits of one project.';
comment on column series.series_id is 'Its number in links.';
comment on column series.project_id is 'Whose commits.';
comment on column series.machine_id is 'Where.';
comment on column series.case_id is 'What.';
comment on column series.methodology_id is 'How.';
comment on column series.sort_key is 'Its place in lists: machine, scenario, transport, mode, placement, sizes and the rest, with leading zeros.';
comment on column series.search is 'What it is found by: its words from each of their beginnings, its sizes as people write them, and terms that begin as no word does, as in =machine=lab-1.';
