-- A note on a commit.
insert into commit_note (project_id, commit_id, text, created_by, created_at)
select project_id, commit_id, 'New allocator.', 'account:ada', '2026-12-21 10:00:00+00' from commit order by commit_id limit 1;
