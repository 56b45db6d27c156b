-- A change of the tail has ratios, no cause and no regression.
insert into change_point (series_id, environment_id, figure, commit_id, after_commit_id, until_commit_id, places,
        before_level, after_level, confidence, matters, found_at)
    values (1, 1, 'tail', 2, 1, 2, '[]', 1.9, 3.1, 0.99, true, now());
