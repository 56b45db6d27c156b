-- More parameters of a case. Nullable and without defaults: a case of before has none of them, and its digest, in which
-- an absent parameter has no part, stays what it was.

alter table measured_case
    add column buffer_bytes bigint,
    add column rate_per_second bigint,
    add column size_profile text;
comment on column measured_case.buffer_bytes is 'The kernel buffer that was asked for; null: the system''s default.';
comment on column measured_case.rate_per_second is 'In open-loop: messages a second.';
comment on column measured_case.size_profile is 'Where sizes are drawn from; message_bytes is then the largest.';
