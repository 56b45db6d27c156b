-- Programs that bring a transport of their own: several of one name in a run, and what they say of themselves. Nullable,
-- or with a default that old servers need not know.

alter table measured_case add column variant text;
comment on column measured_case.variant is 'Which of several programs of this transport; null where there is one.';

alter table run_outcome add column facts jsonb not null default '{}';
comment on column run_outcome.facts is 'What the program that was measured says of itself: its version. Shown, never compared.';
