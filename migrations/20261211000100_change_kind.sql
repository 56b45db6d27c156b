-- Changes that do not happen at one commit, and regressions made of them.

alter table change_point add column kind text not null default 'step'
    constraint change_point_kind_check check (kind in ('step', 'drift', 'known_state'));
comment on column change_point.kind is 'step; drift: small steps that add up since after_commit_id; known_state: the machine switched between two levels that it had before.';
comment on column change_point.after_commit_id is 'The newest measured commit that is before the change with a probability of 95 %; for a drift, the commit at which the level before it began.';
comment on column change_point.places is 'The commits at which the new level may begin, with probabilities: [[commit_id, probability], …]; none for a drift.';

alter table regression add column kind text not null default 'step'
    constraint regression_kind_check check (kind in ('step', 'drift'));
comment on column regression.kind is 'step: one commit of its range is the cause; drift: small steps add up over its range.';
