-- Whether runs were lost: what agents say that servers have acknowledged, beside what is stored. No foreign keys: this table
-- stays on one node where others are spread over several.

create table installation (
    installation_id uuid constraint installation_pkey primary key,
    machine_id bigint not null,
    stored_count bigint not null,
    acknowledged_count bigint not null,
    last_upload_at timestamptz not null
);
create index installation_machine_id_idx on installation (machine_id);
comment on table installation is 'A folder of reports on a machine, from which an agent uploads to this server.';
comment on column installation.installation_id is 'UUID that the agent drew.';
comment on column installation.machine_id is 'The machine of its newest upload.';
comment on column installation.stored_count is 'Different uploads that were stored.';
comment on column installation.acknowledged_count is 'Different uploads that the agent was told to be stored; more than are stored: some were lost.';
comment on column installation.last_upload_at is 'When its newest upload arrived, by the server''s clock.';
