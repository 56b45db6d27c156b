-- A suspicion that a paired comparison confirmed, with its change.
insert into suspicion (project_id, machine_id, commit_id, base_commit_id, run_id, job_id, state, cases, decided_because,
        created_at, decided_at)
    select 1, 1, 2, 1, run_id, 1, 'confirmed',
        '[{"series_id": 1, "environment_id": 1, "level": 4000, "change": 0.21, "confirmed_change": 0.2}]',
        'paired comparison of job 1: +20 %', now(), now()
    from run where commit_id = 2;
insert into change_point (series_id, environment_id, figure, commit_id, after_commit_id, until_commit_id, places,
        before_level, after_level, confidence, matters, suspicion_id, found_at)
    values (1, 1, 'p99', 2, 1, 2, '[[2, 1.0]]', 4000, 4800, 0.99, true, 1, now());
