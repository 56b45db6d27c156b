-- Changes of the tail have levels too: p99 / p50, which is neither a quantile nor a time. There is no release with the old
-- names, so one migration renames them.

-- squawk-ignore renaming-column
alter table change_point rename column quantile to figure;
comment on column change_point.figure is 'Of what: p50, the median over the repetitions'' medians; p99 of all operations; tail, the p99 divided by the p50.';
-- squawk-ignore renaming-column
alter table change_point rename column before_ns to before_level;
comment on column change_point.before_level is 'The level before, when it was found: nanoseconds; for tail, a ratio.';
-- squawk-ignore renaming-column
alter table change_point rename column after_ns to after_level;
comment on column change_point.after_level is 'The level after, likewise.';
