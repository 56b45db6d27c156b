-- Commits whose measurements do not tell which of them made a regression are measured again.

alter table job drop constraint job_reason_check;
alter table job
    add constraint job_reason_check check (reason in ('backfill', 'bisect', 'repeat')) not valid;
comment on column job.reason is 'backfill: all commits of a regression''s range are measured; bisect: some that halve it; repeat: those that may have made it are measured again.';
