-- Where the time of a message goes, for charts. Null in points of earlier versions: the upload still has the counters.
alter table point add column budget_ns real[];
comment on column point.budget_ns is
    'Per delivered message, for each of seven parts, three numbers: the total of all repetitions divided by their messages, and the first and third quartile of the repetitions. Parts: senders in user mode and in the kernel, receivers in user mode and in the kernel, ready to run while no end ran, asleep, overlap of ends. Null if the agent did not report the processor time of every end.';
alter table point add column events_per_message real[];
comment on column point.events_per_message is
    'Per delivered message, for each of four events, the same three numbers: voluntary context switches, involuntary ones, migrations, page faults. An event''s numbers are null if an end lacks it.';
