-- The explanation of a slower result.
insert into explanation (project_id, series_id, commit_id, run_id, contents, created_at)
    select 1, 1, 2, run_id,
        '{"base_sha": "0000000000000000000000000000000000000001", "change_ns": 800, "findings": [], "unexplained_ns": 800}',
        now()
    from run where commit_id = 2;
