-- Whoever asks GitHub has a lease on what it asks for, so that no transaction is open meanwhile.

alter table github_pull_request add column lease_expires_at timestamptz;
comment on column github_pull_request.lease_expires_at is 'Until when one server brings comment and check up to date: another one does not before. What is null is looked after by nobody. It is not due meanwhile, unless something has changed since.';

alter table github_delivery add column lease_expires_at timestamptz;
comment on column github_delivery.lease_expires_at is 'Until when one server handles the event: another one does not before. What is null is handled by nobody.';
