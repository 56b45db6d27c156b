-- A drift has a regression without a culprit, and a change without places.
insert into regression (project_id, direction, kind, state, cause, after_commit_id, until_commit_id, created_at, updated_at)
    values (1, 'regressed', 'drift', 'new', 'commit', 1, 3, now(), now());
insert into change_point (series_id, environment_id, quantile, commit_id, after_commit_id, until_commit_id, places,
        before_ns, after_ns, confidence, matters, kind, cause, regression_id, found_at)
    select 1, 1, 'p50', 3, 1, 3, '[]', 4000, 4300, 0.99, true, 'drift', 'commit', max(regression_id), now()
    from regression;
