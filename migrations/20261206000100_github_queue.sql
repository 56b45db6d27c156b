-- What of GitHub was queued, and up to when its pull requests were told what became of it.

alter table github_repository add column queued_sha text;
comment on column github_repository.queued_sha is 'The newest commit of the default branch that machines were asked to measure.';

alter table github_pull_request add column said_at timestamptz;
comment on column github_pull_request.said_at is 'When comment and check were last compared with what became of its jobs: what changed since is to be said.';
