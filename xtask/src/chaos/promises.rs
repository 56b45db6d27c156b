//! The promises: what stays true whatever fails, and who would notice that it does not.

use super::promise::HeldBy::{Rounds, Soak, Tests};
use super::promise::{Promise, Target, Test};

const fn process(name: &'static str) -> Test {
    Test { target: Target { folder: "server", name: "process" }, name }
}

const fn server(name: &'static str) -> Test {
    Test { target: Target { folder: "server", name: "it" }, name }
}

const fn agents(name: &'static str) -> Test {
    Test { target: Target { folder: "agents", name: "it" }, name }
}

const fn suite(name: &'static str) -> Test {
    Test { target: Target { folder: "benches", name: "it" }, name }
}

const fn model(name: &'static str) -> Test {
    Test { target: Target { folder: "benches", name: "model" }, name }
}

const fn torture(name: &'static str) -> Test {
    Test { target: Target { folder: "benches", name: "torture" }, name }
}

/// All of them, part by part.
pub(crate) static ALL: &[Promise] = &[
    Promise {
        part: "server",
        says: "An acknowledged upload outlives its server.",
        fault: "kill -9 of the server while four agents upload",
        held_by: Rounds(&[process(
            "faults::nothing_that_was_acknowledged_is_lost_when_the_server_is_killed",
        )]),
    },
    Promise {
        part: "server",
        says: "An acknowledged upload outlives its PostgreSQL.",
        fault: "kill -9 of PostgreSQL while four agents upload",
        held_by: Rounds(&[process(
            "faults::nothing_that_was_acknowledged_is_lost_when_postgresql_is_killed",
        )]),
    },
    Promise {
        part: "server",
        says: "What was stored is there at the next start, and no process is left over.",
        fault: "kill -9 of the server, of its guard, of PostgreSQL, of all three at once",
        held_by: Tests(&[
            process("crash::after_everything_is_killed_at_once_what_was_stored_is_there"),
            process("crash::after_server_and_guard_are_killed_the_next_server_stops_the_orphan_and_works"),
            process("crash::after_the_server_is_killed_the_guard_stops_postgresql_and_the_data_stays"),
            process("crash::a_start_right_after_a_kill_waits_for_the_postgresql_before"),
        ]),
    },
    Promise {
        part: "server",
        says: "The same upload again is one run; another one under its identity is refused.",
        fault: "twenty clients send one upload again and again, and at once",
        held_by: Rounds(&[
            process("faults::a_storm_of_one_upload_is_one_run"),
            server("replay::twenty_identical_uploads_at_once_make_one_run"),
            server("replay::the_same_upload_again_has_the_same_receipt_and_changes_nothing"),
            server("replay::another_body_under_the_same_identity_is_refused_and_changes_nothing"),
        ]),
    },
    Promise {
        part: "server",
        says: "An upload that is cut, damaged or wrong leaves nothing.",
        fault: "connections that end in the middle, bodies that are cut, damaged, too large or contradict themselves",
        held_by: Tests(&[
            process("faults::an_upload_that_is_cut_leaves_nothing_and_can_come_again"),
            server("ingest::a_body_that_cannot_be_read_is_refused_and_changes_nothing"),
            server("ingest::refused::a_report_that_breaks_a_rule_is_refused_by_name_and_changes_nothing"),
            server("ingest::refused::counts_that_add_up_beyond_the_database_are_refused_not_wrapped"),
        ]),
    },
    Promise {
        part: "server",
        says: "On a full disk nothing is acknowledged that is lost, and with room it goes on.",
        fault: "a disk of 400 MiB that uploads fill; one that is full at the first start",
        held_by: Tests(&[
            process("faults::on_a_full_disk_nothing_is_acknowledged_that_is_lost_and_with_room_it_goes_on"),
            process("refusal::a_full_disk_leaves_nothing_half_and_room_mends_it"),
        ]),
    },
    Promise {
        part: "server",
        says: "A server whose database goes away acknowledges nothing meanwhile, and goes on when it is back.",
        fault: "kill -9 of a PostgreSQL of one's own while four agents upload, and its next start",
        held_by: Rounds(&[process(
            "faults::nothing_that_was_acknowledged_is_lost_when_the_database_goes_away_and_comes_back",
        )]),
    },
    Promise {
        part: "server",
        says: "A restart loses no upload that is under way.",
        fault: "SIGTERM in the middle of an upload, and to one of two servers under load",
        held_by: Tests(&[
            process(
                "together::an_upload_that_is_under_way_when_the_server_is_asked_to_stop_is_taken_and_answered",
            ),
            process("together::one_of_two_servers_ends_under_load_and_nothing_that_was_acknowledged_is_lost"),
        ]),
    },
    Promise {
        part: "server",
        says: "Two servers over one database do each thing once.",
        fault: "both start at once on an empty database, search, follow what arrives, remove what is old",
        held_by: Tests(&[
            process("together::two_servers_that_start_at_once_on_an_empty_database_both_come_up"),
            process("retention::servers_remove_it_by_themselves_and_once_between_them"),
            server("changes::two_servers_search_what_there_is_once"),
            server("live::an_upload_at_one_server_is_told_by_the_other"),
        ]),
    },
    Promise {
        part: "server",
        says: "A removal of what is old that is cut short leaves nothing half removed, and is completed.",
        fault: "kill -9 in the middle of a transaction, a request to stop, a lease that has ended",
        held_by: Tests(&[
            process(
                "retention::a_removal_that_is_killed_leaves_nothing_half_removed_and_the_next_completes_it",
            ),
            server("retention::whoever_is_asked_to_stop_leaves_the_rest"),
            server("retention::a_server_whose_lease_has_ended_removes_nothing_more"),
        ]),
    },
    Promise {
        part: "server",
        says: "A search for changes that is cut short is made again, and finds the same.",
        fault: "kill -9 of the server while it stores a change; late runs; two servers",
        held_by: Tests(&[
            process(
                "search::a_server_that_is_killed_while_it_searches_leaves_the_search_to_the_next_which_finds_the_same",
            ),
            server("changes::each_upload_is_searched_once_and_a_change_is_told_once"),
            server("changes::a_late_run_of_an_older_commit_says_better_where_the_change_is"),
        ]),
    },
    Promise {
        part: "server",
        says: "A server that has lost runs says how many.",
        fault: "a database that is put back to before acknowledged runs; answers that never arrive",
        held_by: Tests(&[
            server("lost::a_server_that_was_put_back_counts_the_runs_that_are_gone"),
            server("lost::a_server_that_was_put_back_to_before_an_installation_counts_all_of_its_runs"),
            server("lost::repetitions_and_answers_that_never_arrived_lose_nothing"),
        ]),
    },
    Promise {
        part: "backup",
        says: "A backup of a running server comes back table by table.",
        fault: "a new machine: nothing is there but the file",
        held_by: Tests(&[
            process("backup::a_backup_of_a_running_server_comes_back_table_by_table_and_goes_on_from_there"),
            process("backup::a_backup_of_older_tables_is_brought_up_to_date"),
        ]),
    },
    Promise {
        part: "backup",
        says: "A backup that is not whole, not ours or newer is refused and restores nothing.",
        fault: "files that are cut, damaged in a bit, of another format or of a newer server; rows in the way",
        held_by: Tests(&[
            process(
                "backup::what_is_not_whole_not_ours_or_newer_is_refused_with_a_sentence_and_leaves_nothing",
            ),
            process("backup::a_database_with_rows_is_left_as_it_is"),
            process("backup::a_backup_that_cannot_be_written_leaves_the_one_before"),
        ]),
    },
    Promise {
        part: "backup",
        says: "A database is put back to any moment: runs before it are there, those after it are not, and that is told.",
        fault: "kill -9 of PostgreSQL and the loss of its files; the commands of the page on backups, as they stand there",
        held_by: Tests(&[process(
            "point_in_time::what_was_stored_before_the_point_is_there_and_the_server_tells_how_many_runs_are_gone",
        )]),
    },
    Promise {
        part: "upgrade",
        says: "From every earlier state the tables become those of a new database, and every row stays.",
        fault: "databases with rows as each migration left them",
        held_by: Tests(&[process(
            "upgrade::from_every_earlier_state_tables_become_those_of_a_new_database_and_rows_stay",
        )]),
    },
    Promise {
        part: "upgrade",
        says: "An upgrade that is cut short is completed by the next start, and keeps nobody waiting.",
        fault: "kill -9 in a migration and while an index is made; tables that are in use",
        held_by: Tests(&[
            process("together::a_server_that_is_killed_in_a_migration_leaves_what_the_next_one_completes"),
            process(
                "together::a_server_that_is_killed_while_it_makes_an_index_leaves_what_the_next_one_completes",
            ),
            process("together::a_migration_does_not_keep_everybody_waiting_behind_it"),
        ]),
    },
    Promise {
        part: "lab",
        says: "Each job is done once, and what was measured for it is stored once.",
        fault: "kill -9 of the server while six agents take jobs, upload and say so",
        held_by: Rounds(&[process(
            "leases::a_server_that_is_killed_again_and_again_loses_no_job_and_has_none_done_twice",
        )]),
    },
    Promise {
        part: "lab",
        says: "Whoever has lost a lease changes nothing any more.",
        fault: "agents that stop and come back late, leases that expire, many agents at once",
        held_by: Tests(&[
            server("lab::queue::a_job_of_a_stopped_agent_is_taken_by_another_and_its_late_word_is_refused"),
            server("lab::queue::many_agents_at_once_take_each_job_once"),
            server("lab::results::what_was_measured_under_a_lost_lease_is_kept_and_is_part_of_no_trend"),
        ]),
    },
    Promise {
        part: "lab",
        says: "Queue and spool lose nothing, whatever order things fail in.",
        fault: "a million drawn steps of a model: deaths, lost messages, a server that is away, expired leases; the \
                database does as the model",
        held_by: Tests(&[
            server(
                "lab::simulation::in_a_million_steps_nothing_measured_is_lost_or_stored_twice_and_no_job_is_done_twice",
            ),
            server("lab::model::the_queue_does_what_a_plain_model_of_it_does"),
        ]),
    },
    Promise {
        part: "agents",
        says: "An agent that is killed loses nothing that it had measured, and counts no job twice.",
        fault: "kill -9 before a call on files or sockets, from the job's beginning to its end",
        held_by: Rounds(&[agents(
            "killed::killed_before_any_of_its_calls_an_agent_loses_nothing_and_no_job_counts_twice",
        )]),
    },
    Promise {
        part: "agents",
        says: "An agent that ends while it measures leaves no process and reports nothing.",
        fault: "kill -9 and SIGTERM in the middle of a run",
        held_by: Tests(&[
            agents("run::a_killed_run_takes_its_peers_with_it"),
            agents("agent::told_to_stop_in_the_middle_of_a_run_it_leaves_nothing_behind_and_reports_nothing"),
            agents("lab::an_agent_that_is_told_to_stop_gives_its_job_back"),
        ]),
    },
    Promise {
        part: "agents",
        says: "What cannot be sent waits, and arrives in order when the server is back.",
        fault: "a server that is away, busy, refuses the token or refuses one report",
        held_by: Tests(&[
            agents("agent::what_waited_while_the_server_was_away_is_uploaded_in_the_order_of_the_runs"),
            agents("agent::a_refused_token_deletes_nothing_and_stops_nothing"),
            agents("agent::a_report_that_is_refused_is_kept_and_does_not_hold_up_the_next"),
            agents("lab::what_was_measured_while_the_server_is_away_is_told_by_the_next_agent"),
            agents("upload::a_busy_server_is_asked_again"),
        ]),
    },
    Promise {
        part: "agents",
        says: "A report is removed only when the server has acknowledged that very report.",
        fault: "a server that acknowledges something else; a report that was not what was said",
        held_by: Tests(&[
            agents("upload::an_acknowledgement_of_something_else_is_not_believed"),
            agents("upload::a_report_of_something_else_than_was_said_is_not_sent"),
        ]),
    },
    Promise {
        part: "agents",
        says: "Over a network that cuts, every report arrives as it was written.",
        fault: "connections of eight agents that are cut at each kilobyte of an upload and of its answer",
        held_by: Tests(&[agents(
            "unreliable::cut_at_any_kilobyte_of_an_upload_or_its_answer_every_report_arrives_as_it_is",
        )]),
    },
    Promise {
        part: "agents",
        says: "Over a network that delays and drops, every report arrives as it was written.",
        fault: "two seconds of latency, and every twentieth connection is reset",
        held_by: Rounds(&[agents(
            "unreliable::over_two_seconds_of_latency_with_every_twentieth_connection_reset_every_report_arrives",
        )]),
    },
    Promise {
        part: "agents",
        says: "On a full disk an agent keeps what it measured, and writes it whole once there is room.",
        fault: "a disk that fills up before the report is written",
        held_by: Tests(&[agents("faults::a_report_waits_for_room_on_a_full_disk_and_is_whole_or_absent")]),
    },
    Promise {
        part: "agents",
        says: "An update that does not prove itself is taken back.",
        fault: "programs that do not start, are not what was signed, or are signed by another; kill -9 in between",
        held_by: Tests(&[
            agents(
                "update::at_the_third_start_in_vain_the_old_program_is_back_and_that_version_is_never_tried_again",
            ),
            agents("update::a_program_that_is_not_what_was_signed_or_would_not_work_replaces_nothing"),
            agents("update::killed_before_the_new_program_had_its_name_the_old_one_goes_on"),
        ]),
    },
    Promise {
        part: "agents",
        says: "What a machine is short of fails by name, and the rest is measured.",
        fault: "few open files, small message queues, a full /dev/shm, a path that is too long",
        held_by: Tests(&[
            agents("faults::thirty_two_open_files_are_enough"),
            agents("faults::too_few_open_files_are_named_and_the_run_ends_with_a_report"),
            agents("faults::a_small_limit_for_message_queues_is_named"),
            agents("faults::a_path_too_long_for_a_unix_socket_is_named_with_the_way_out"),
            agents("faults::a_full_folder_for_shared_memory_changes_nothing"),
        ]),
    },
    Promise {
        part: "harness",
        says: "A peer that dies is a failure with its signal, on every transport, and leaves nothing.",
        fault: "kill -9 of either peer, also in the middle of a message",
        held_by: Tests(&[
            suite("faults::a_killed_peer_is_named_with_its_signal_on_every_transport"),
            suite("faults::a_peer_killed_in_the_middle_of_a_message_is_named"),
            suite("many::a_killed_receiver_is_named_and_ends_the_repetition"),
        ]),
    },
    Promise {
        part: "harness",
        says: "A peer that hangs is killed at the deadline, and the other cases go on.",
        fault: "SIGSTOP of a peer, peers that do not start or talk rubbish",
        held_by: Tests(&[
            suite("faults::a_stopped_peer_is_given_up_at_the_deadline"),
            suite("faults::a_peer_that_cannot_start_or_talks_rubbish_is_named"),
            suite("faults::a_failing_case_is_given_up_and_the_others_go_on"),
        ]),
    },
    Promise {
        part: "ring",
        says: "A member of a ring that is killed wedges nobody and tears nothing.",
        fault: "kill -9 of members of each kind at any moment, a hundred times a round",
        held_by: Rounds(&[torture("nobody_is_held_up_by_the_dead")]),
    },
    Promise {
        part: "ring",
        says: "Nobody waits for the dead, in whatever order the processors do things.",
        fault: "every order in which a small ring's steps can happen, with a member that dies",
        held_by: Tests(&[
            model("many::a_sender_that_dies_while_it_writes_holds_up_nobody"),
            model("many::the_claim_of_the_dead_is_voided_once_however_many_see_to_it"),
            model("many::a_receiver_that_dies_holds_up_nobody"),
            model("many::when_the_last_sender_dies_receivers_are_told"),
        ]),
    },
    Promise {
        part: "github",
        says: "One comment and one check, whatever GitHub does.",
        fault: "failures of every kind at every request, repetitions, disorder, lost answers, two servers",
        held_by: Tests(&[
            server(
                "github_app::comments::faults_of_every_kind_at_every_request_leave_one_comment_and_one_check",
            ),
            server(
                "github_app::comments::replays_and_disorder_while_requests_fail_leave_one_comment_on_each_pull_request",
            ),
            server("github_app::comments::two_servers_at_once_write_one_comment"),
            server("github_app::comments::an_update_that_is_cut_off_is_repeated"),
        ]),
    },
    Promise {
        part: "github",
        says: "What GitHub tells is kept once, and what it did not tell is read.",
        fault: "deliveries that are replayed, forged, in any order, lost, or come while the database is away",
        held_by: Tests(&[
            server("github_app::webhooks::a_delivery_that_is_replayed_is_kept_once"),
            server("github_app::webhooks::nothing_is_taken_without_the_right_signature"),
            server("github_app::webhooks::while_the_database_is_away_github_is_asked_to_come_back"),
            server("github_app::events::whatever_the_order_of_events_a_pull_request_is_what_github_says"),
            server(
                "github_app::events::an_event_during_a_failure_is_handled_later_and_a_hopeless_one_is_given_up",
            ),
            server("github_app::events::what_nobody_told_of_is_found_by_reading_all_that_is_open"),
        ]),
    },
    Promise {
        part: "notifications",
        says: "Everybody is told of everything once.",
        fault: "kill -9 while a message is on its way; two servers; receivers that fail, hang and redirect",
        held_by: Tests(&[
            process(
                "notifications::a_server_that_is_killed_while_it_sends_leaves_the_message_to_the_next_under_the_same_identity",
            ),
            process("notifications::two_running_servers_tell_everybody_of_everything_once"),
            server("notifications::delivery::two_servers_tell_everybody_exactly_once"),
            server(
                "notifications::delivery::what_was_not_taken_comes_again_with_the_same_identity_and_body_until_it_is",
            ),
            server("notifications::delivery::who_never_answers_holds_up_nobody_else"),
        ]),
    },
    Promise {
        part: "soak",
        says: "A server's memory and open files do not grow with what it does.",
        fault: "a tenth of the load that it is built for, uploads and reads, for ten minutes",
        held_by: Soak,
    },
];
