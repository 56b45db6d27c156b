-- What a stranger measured is shown where one asks for it, and decides nothing.

alter table run add column quarantined boolean not null default false;
comment on column run.quarantined is 'True when whoever uploaded it does not vouch for it, as for a pull request of a fork: it is never part of the trend, whatever it says of itself, and moves no commit.';
