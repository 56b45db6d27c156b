-- A row in every table, as a server of the baseline leaves it. UPLOAD stands for a report as it is kept.

insert into project (slug, upload_retention_days, repository_url) values ('libfoo', 90, 'file:///srv/libfoo.git');
insert into machine (slug, os, arch) values ('lab-1', 'linux', 'x86-64');
insert into environment (digest, stable) values ('\x01', '{}');
insert into commit (project_id, sha, ordinal, ordinal_is_estimate, parents, subject, author, committed_at, measured)
    select 1, lpad(nth::text, 40, '0'), nth, false, array[lpad((nth - 1)::text, 40, '0')], 'Change ' || nth, 'A. Author', now(), true
    from generate_series(1, 3) as nth;
insert into transport (slug, title, family, semantics, control) values ('pipe', 'The pipe', 'pipe', 'two copies', true);
insert into measured_case (digest, transport_id, scenario, message_bytes, peers, mode, placement)
    select decode(lpad(nth::text, 2, '0'), 'hex'), 1, 'roundtrip', 64 * nth, 1, '2proc', 'free' from generate_series(1, 2) as nth;
insert into methodology (digest, document) values ('\x01', jsonb_build_object(
    'protocol_version', 1, 'send', 'blocking', 'receive', 'block', 'on_full', 'wait', 'window', 1, 'batch', 1,
    'clock', 'clock-monotonic', 'warmup', 100, 'payload', 'all of it', 'storage', 'touched'));
insert into series (project_id, machine_id, case_id, methodology_id) values (1, 1, 1, 1), (1, 1, 2, 1);
insert into run (run_id, project_id, machine_id, environment_id, commit_id, branch, work_tree_modified, preset, suite_version,
        build, order_seed, conditions, canaries, started_at, finished_at, received_at, result_count, point_count,
        unsupported_count, failure_count, body_sha256)
    select ('019aa8f0-5c1e-7b3a-9f00-' || lpad(nth::text, 12, '0'))::uuid, 1, 1, 1, nth, 'main', false, 'quick', '0.1.0',
        'release', '17', '{}', '[]', now(), now(), now(), 2, 2, 0, 0, '\x01'
    from generate_series(1, 3) as nth;
update run set upload_pruned_at = now() where commit_id = 3;
insert into run_upload (machine_id, run_id, body_zstd) select 1, run_id, 'UPLOAD' from run where commit_id < 3;
insert into run_result (machine_id, run_id, series_ids, outcomes)
    select 1, run_id, '{1,2}', jsonb_build_array(outcome, outcome)
    from run cross join jsonb_build_object('counters', '{}'::jsonb, 'facts', '{}'::jsonb, 'failures', '[]'::jsonb) as outcome;
insert into project_machine (project_id, machine_id, run_count, commit_count, series_count, latest_run_id)
    values (1, 1, 3, 3, 2, '019aa8f0-5c1e-7b3a-9f00-000000000003');
insert into point (machine_id, series_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified, lossy,
        repetition_count, failure_count, disturbed_count, operation_count, attempted, accepted, delivered, latency_ns_sum,
        latency_ns_min, latency_ns_p25, latency_ns_p50, latency_ns_p75, latency_ns_p90, latency_ns_p98, latency_ns_p99,
        latency_ns_p999, latency_ns_max, repetition_p50_ns_q1, repetition_p50_ns_median, repetition_p50_ns_q3, measured_at)
    select 1, series_id, commit_id, run_id, commit_id, 1, false, false, 10, 0, 0, 100, 100, 100, 100, 400000,
        3000, 3500, 4000 + commit_id, 4500, 5000, 5500, 6000, 7000, 9000, 3900, 4000, 4100, now()
    from run cross join series;
insert into point_histogram (machine_id, series_id, run_id, histogram) select 1, series_id, run_id, '\x00' from run cross join series;
insert into token (name, prefix, secret_sha256, scopes, created_at) values ('lab-1', 'rta_0000', '\x01', '{ingest}', now());

update measured_case set benchmark = 'BM_Pipe', operations = 100 where case_id = 2;
insert into summary (machine_id, series_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified,
        latency_ns_center, quantiles, measured_at)
    select 1, 2, commit_id, run_id, commit_id, 1, false, 4000, '[]', now() from run;
insert into run_original (machine_id, run_id, name, format, byte_count, file_zstd)
    select 1, run_id, 'results.json', 'bmf', 2, '\x00' from run where commit_id = 2;

insert into account (name, github_login, github_id, is_admin, created_at) values ('ada', 'Ada', 1, true, now());
insert into membership (project_id, account_id, role, created_at) values (1, 1, 'maintainer', now());
insert into token (name, prefix, secret_sha256, scopes, created_at, kind, account_id)
    values ('ada', 'rtu_0000', '\x02', '{read}', now(), 'user', 1);
insert into session (account_id, token_id, secret_sha256, created_at, last_used_at, expires_at)
    values (1, 2, '\x01', now(), now(), now());
insert into audit_event (happened_at, actor, action, subject, details) values (now(), 'ada', 'token.create', 'ada', '{}');

insert into task (name, due_at, fence, finished_at) values ('retention', now() + interval '1 day', 4, now());
insert into installation (installation_id, machine_id, stored_count, acknowledged_count, last_upload_at)
    values ('019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b', 1, 3, 3, now());

insert into link (code, path, created_at) values ('abc', '/projects/libfoo', now());

insert into regression (project_id, direction, state, cause, after_commit_id, until_commit_id, assignee_account_id, note,
        created_at, updated_at)
    values (1, 'regressed', 'acknowledged', 'commit', 1, 2, 1, 'known', now(), now());
insert into change_point (series_id, environment_id, quantile, commit_id, after_commit_id, until_commit_id, places,
        before_ns, after_ns, confidence, matters, cause, regression_id, found_at)
    values (1, 1, 'p50', 2, 1, 2, '[]', 4000, 5000, 0.99, true, 'commit', 1, now());
insert into analysis_due (run_id, machine_id, due_at)
    select run_id, 1, now() + interval '1 day' from run where commit_id = 3 on conflict do nothing;

insert into machine_error_rate (project_id, machine_id, comparison_count, false_comparison_count, computed_at)
    values (1, 1, 100, 1, now());
insert into error_rate (project_id, machine_id, transport_id, scenario, series_count, p50_searched_count,
        p50_false_alarm_count, p50_injected_count, p50_found_counts, p50_median_delays, p99_searched_count,
        p99_false_alarm_count, p99_injected_count, p99_found_counts, p99_median_delays, case_count, false_case_count,
        found_case_counts, untold_case_count)
    values (1, 1, 1, 'roundtrip', 2, 2, 0, 2, '{1}', '{3}', 2, 0, 2, '{1}', '{3}', 2, 0, '{1}', 0);

insert into enrolment (code_sha256, project, labels, created_by, created_at, expires_at, used_at)
    values ('\x01', 'libfoo', '{fast}', 'ada', now(), now(), now());
insert into agent (machine_id, labels, public_key, token_id, is_enabled, enrolled_at, last_seen_at, version)
    values (1, '{fast}', '\x01', 1, true, now(), now(), '0.1.0');

insert into job (project_id, machine_id, commit_sha, reason, created_at) values (1, 1, lpad('1', 40, '0'), 'backfill', now());
insert into job (project_id, machine_id, commit_sha, reason, regression_id, created_at, done_at, done_by_run_id, status)
    select 1, 1, lpad('2', 40, '0'), 'bisect', 1, now(), now(), run_id, 'done' from run where commit_id = 2;
insert into job (project_id, machine_id, commit_sha, reason, created_at, requested_by, priority, status, attempt, fence,
        agent_id, started_at, lease_expires_at)
    values (1, 1, lpad('3', 40, '0'), 'request', now(), 'ada', 3, 'running', 1, 1, 1, now(), now());
insert into job_attempt (job_id, fence, agent_id, started_at, ended_at, outcome, output)
    values (2, 1, 1, now(), now(), 'done', '');
insert into schedule (project_id, cron, labels, created_by, next_at) values (1, '0 3 * * *', '{}', 'ada', now());
update run set job_id = 3;

insert into notification_channel (project_id, name, kind, target, events, enabled_at, created_by, created_at)
    values (1, 'ours', 'webhook', 'https://example.org/', '{regressed}', now(), 'ada', now());
insert into notification_message (notification_message_id, notification_channel_id, event, payload, in_reply_to, created_at,
        due_at, sent_at)
    values ('019aa8f0-5c1e-7b3a-9f00-0000000000aa', 1, 'regression', '{}', '{}', now(), now(), now());
insert into notification (notification_channel_id, event, subject, regression_id, created_at, due_at, notification_message_id)
    values (1, 'regression', '1', 1, now(), now(), '019aa8f0-5c1e-7b3a-9f00-0000000000aa');

insert into oidc_trust (project, issuer, repository, repository_id, repository_owner_id, created_at)
    values ('libfoo', 'https://example.org', 'octo/libfoo', 1, 1, now());
insert into oidc_use (oidc_trust_id, token_id, issuer, jti, expires_at) values (1, 1, 'https://example.org', 'a', now());

insert into github_delivery (github_delivery_id, event, payload, received_at, due_at, handled_at)
    values ('019aa8f0-5c1e-7b3a-9f00-0000000000bb', 'push', '{}', now(), now(), now());
insert into github_installation (github_installation_id, account, read_at) values (1, 'octo', now());
insert into github_repository (github_repository_id, github_installation_id, full_name, is_private, default_branch, project_id)
    values (1, 1, 'octo/libfoo', false, 'main', 1);
insert into github_pull_request (project_id, github_repository_id, number, state, author, head_sha, head_pushed_at, base_sha,
        base_branch, is_fork, comment_id)
    values (1, 1, 7, 'open', 'octo', lpad('2', 40, '0'), now(), lpad('1', 40, '0'), 'main', false, 12);
insert into github_command (github_pull_request_id, source, kind, machines, head_sha, requested_by, requested_at)
    values (1, 'comment-1', 'queue', '{}', lpad('2', 40, '0'), 'octo', now());
insert into github_write (written_at) values (now());
