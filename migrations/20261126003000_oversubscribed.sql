-- What keeps two points from being compared is known without their uploads, which need not be kept for ever.

alter table point add column oversubscribed boolean not null default false;
comment on column point.oversubscribed is 'True when more threads took part than there were processors for them. False of points that were stored before this column: their uploads tell.';
