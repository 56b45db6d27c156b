-- Machines and transports have one row for their name, which all projects share. What an upload says about them is stored
-- with its project, so that it changes nothing that another project shows. The facts of an enrolled machine are its agent's.
-- Until the next release, servers of the previous version still read the columns of `machine` and `transport`. Rows that they
-- write lack the new values: then those columns count.

alter table project_machine add column os text, add column arch text;
comment on column project_machine.os is 'Operating system family, from the newest of the runs; null: that of the machine.';
comment on column project_machine.arch is 'Processor architecture, from the newest of the runs; null: that of the machine.';

alter table agent add column os text, add column arch text;
comment on column agent.os is 'Operating system family of its machine, from its enrolment; null: that of the machine.';
comment on column agent.arch is 'Processor architecture of its machine, from its enrolment; null: that of the machine.';

comment on column machine.os is 'Operating system family, from the first upload of any project.';
comment on column machine.arch is 'Processor architecture, from the first upload of any project.';

create table project_transport (
    project_id bigint not null constraint project_transport_project_id_fkey references project (project_id),
    transport_id bigint not null constraint project_transport_transport_id_fkey references transport (transport_id),
    title text not null,
    family text not null,
    semantics text not null,
    control boolean not null,
    constraint project_transport_pkey primary key (project_id, transport_id)
);
create index project_transport_transport_id_idx on project_transport (transport_id);
comment on table project_transport is 'A transport as the newest upload to a project described it.';
comment on column project_transport.project_id is 'The project.';
comment on column project_transport.transport_id is 'The transport.';
comment on column project_transport.title is 'Its display name.';
comment on column project_transport.family is 'The kind of mechanism: pipe, socket, shared-memory.';
comment on column project_transport.semantics is 'What carries the bytes and what is copied.';
comment on column project_transport.control is 'True when a commit of the project cannot have changed it.';
insert into project_transport (project_id, transport_id, title, family, semantics, control)
    select measured.project_id, transport.*
    from (
        select distinct series.project_id, measured_case.transport_id
        from series join measured_case on measured_case.case_id = series.case_id
    ) as measured
    cross join lateral (
        select transport_id, title, family, semantics, control
        from transport where transport.transport_id = measured.transport_id
    ) as transport;

comment on table transport is 'A mechanism that carries messages. Data, never an enum.';
comment on column transport.title is 'Its display name, from the first upload of any project.';
comment on column transport.family is 'The kind of mechanism, from the first upload of any project.';
comment on column transport.semantics is 'What carries the bytes and what is copied, from the first upload of any project.';
comment on column transport.control is 'Whether it is a control, from the first upload of any project.';

alter table installation add column project_ids bigint[] not null default '{}';
comment on column installation.project_ids is 'The projects that it uploaded to; the others do not show what it counts.';
update installation
set project_ids = array(
    select project_id from project_machine where project_machine.machine_id = installation.machine_id
);

comment on column agent.challenge is 'Not used since challenges are computed; removed in the next release.';
comment on column agent.challenge_expires_at is 'Not used, as challenge.';
