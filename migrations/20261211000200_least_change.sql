alter table project add column least_change double precision
    constraint project_least_change_check check (least_change > 0 and least_change < 1);
comment on column project.least_change is
    'The smallest change that is reported, as a share; null: two standard deviations of the series'' noise, at least 1 % and at most 3 %.';
