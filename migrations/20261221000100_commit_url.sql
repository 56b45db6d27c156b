-- Links to commits at hosts that the repository's address does not reveal.
alter table project add column commit_url text;
comment on column project.commit_url is
    'Address of a commit at its host, with {sha} in place of its full object name; null: derived from repository_url, if the host is known.';
