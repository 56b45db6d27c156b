-- Quantities other than times: throughput, bytes, counts. More can be better.
alter table measured_case add column measure jsonb;
comment on column measured_case.measure is
    'The measured quantity: name, unit, and which values are better (lower, higher); null: the time of an operation. Columns of its points that are named latency_ns hold its values.';
alter table change_point add column higher_is_better boolean not null default false;
comment on column change_point.higher_is_better is
    'Whether larger values of the series are better, copied from its case: then a change to a lower level is a regression.';
