-- Parameters of cases with many ends. Nullable and without defaults: a case of before has neither of them, and its
-- digest, in which an absent parameter has no part, stays what it was.

alter table measured_case
    add column senders bigint,
    add column messages bigint;
comment on column measured_case.senders is 'How many senders; null: one.';
comment on column measured_case.messages is 'Messages of one operation, of all senders together, where the case says so.';
