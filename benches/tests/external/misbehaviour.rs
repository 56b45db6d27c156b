//! Any misbehaviour of a program is a failure with a useful reason; it leaves nothing behind and stops nothing else.

use crate::behaviour::{WANTED, this_program};
use crate::support::{DEADLINE, case, measure, program};
use crate::{Test, TestResult};
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::program::Launch;
use roundtrip_bench::transport;
use roundtrip_wire::CaseResult;
use std::env;
use std::process::Command;
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("records_valid_results", valid_results),
    ("reports_each_misbehaviour", wrong),
    ("kills_a_hanging_program_at_the_deadline", hangs),
    ("does_not_wait_for_a_daemon", daemons),
    ("ends_a_program_that_stays_and_keeps_its_results", stays),
    ("records_lost_messages", loses),
    ("records_unsupported_cases", unsupported),
    ("reports_a_missing_program", missing),
    ("measures_the_other_programs", others),
];

/// For programs that do not answer: each of two repetitions waits this long.
const SHORT_DEADLINE: Duration = Duration::from_secs(2);

pub(crate) fn behaving(behaviour: &str) -> PlannedCase {
    let PeerCommand { program: first, arguments } = this_program().unwrap();
    let command =
        [vec![first.to_string_lossy().into_owned()], arguments, vec![behaviour.to_owned()]].concat();
    case(program(behaviour, command, env::temp_dir()).into(), "roundtrip", 64)
}

fn measured(behaviour: &str, deadline: Duration) -> CaseResult {
    measure(vec![behaving(behaviour)], deadline).remove(0)
}

fn valid_results() -> TestResult {
    for behaviour in ["report-valid-results", "use-harness-timing"] {
        let result = measured(behaviour, DEADLINE);
        assert_eq!((result.failures.len(), result.repetitions.len()), (0, 2), "{result:?}");
        assert!(!result.is_lossy());
    }
    Ok(())
}

fn wrong() -> TestResult {
    for (behaviour, reason) in [
        ("exit-immediately", "exited with code 3 without a response"),
        ("print-error-and-exit", "(no licence for this machine)"),
        ("crash", if cfg!(unix) { "killed by signal 6" } else { "without a response" }),
        ("print-garbage", "printed `Listening on port 4711`: expected `connected`"),
        ("print-half-a-line", "printed `{\"connected\":{\"initiator"),
        ("print-bytes", "expected `connected`"),
        ("print-endlessly", "printed a line of more than 4 MiB"),
        ("fail", "connect: connection refused"),
        ("send-done-first", "sent `done`: expected `connected`"),
        ("report-process-1", "reported process 1, which it did not start"),
        ("report-one-process", "for both ends: expected two in 2proc"),
        ("exit-when-measuring", "exited with code 3 without a response"),
        ("kill-the-responder", "the responder is gone"),
        ("print-garbage-when-measuring", "printed `50 % done`: expected `done`"),
        ("count-more-than-asked", "21 attempted messages: expected 20"),
        ("count-attempts-as-deliveries", "the headers that its responder received sum to"),
        ("omit-a-sample", "sent 19 times: expected 20"),
        ("report-years", "its times sum to"),
        ("misspell", "unknown field `delivred`"),
    ] {
        let result = measured(behaviour, DEADLINE);
        assert!(result.repetitions.is_empty(), "{behaviour}");
        for failure in &result.failures {
            let is_named = failure.reason.starts_with(&format!("{behaviour}: "));
            assert!(is_named && failure.reason.contains(reason), "{behaviour}: {}", failure.reason);
        }
        assert_eq!(result.failures.len(), 2, "{behaviour}");
        assert_no_process_left(behaviour);
    }
    Ok(())
}

fn hangs() -> TestResult {
    for behaviour in ["hang-immediately", "hang-when-measuring"] {
        let result = measured(behaviour, SHORT_DEADLINE);
        assert_eq!(result.failures[0].reason, format!("{behaviour}: no response within 2 s, killed"));
        assert_no_process_left(behaviour);
    }
    Ok(())
}

/// A daemon has left the program, so it is not killed; it holds the program's standard output and error open.
fn daemons() -> TestResult {
    if cfg!(windows) {
        return Err("on Windows nothing leaves a job".into());
    }
    let wanted = tempfile::NamedTempFile::new().unwrap();
    // Inherited by the program and the daemon.
    let case = behaving("leave-a-daemon");
    let mut program = case.transport.program().unwrap().as_ref().clone();
    if let Launch::Command(command) = &mut program.launch {
        let variable = format!("{WANTED}={}", wanted.path().display());
        command.splice(0..0, ["env".to_owned(), variable]);
    }
    let result = measure(vec![PlannedCase { transport: program.into(), ..case }], DEADLINE).remove(0);
    assert!(wanted.path().exists(), "the failure was reported only after the daemon had ended");
    let expected = "leave-a-daemon: exited with code 5 without a response (the daemon has it now)";
    assert_eq!(result.failures[0].reason, expected);
    drop(wanted);
    assert_no_process_left("leave-a-daemon");
    Ok(())
}

fn stays() -> TestResult {
    for behaviour in ["stay-when-done", "chatter-when-done"] {
        let result = measured(behaviour, DEADLINE);
        assert_eq!((result.failures.len(), result.repetitions.len()), (0, 2), "{result:?}");
        assert_no_process_left(behaviour);
    }
    Ok(())
}

fn loses() -> TestResult {
    let result = measured("lose-one", DEADLINE);
    assert!(result.is_lossy() && result.failures.is_empty(), "{result:?}");
    Ok(())
}

fn unsupported() -> TestResult {
    let result = measured("report-unsupported", DEADLINE);
    assert_eq!(result.unsupported.as_deref(), Some("report-unsupported: unknown scenario"));
    assert!(result.failures.is_empty() && result.repetitions.is_empty());
    let many_to_many =
        measure(vec![case(behaving("report-valid-results").transport, "open-loop", 64)], DEADLINE);
    assert!(many_to_many[0].unsupported.as_deref().unwrap().contains("roundtrip and stream"));
    Ok(())
}

fn missing() -> TestResult {
    let absent = program("absent", vec!["./no-such-program".into()], env::temp_dir());
    let result = measure(vec![case(absent.into(), "roundtrip", 64)], DEADLINE).remove(0);
    assert!(result.failures[0].reason.starts_with("cannot start absent: "), "{:?}", result.failures);
    Ok(())
}

fn others() -> TestResult {
    let built_in = transport::find("tcp").unwrap();
    let cases = vec![
        behaving("crash"),
        case(built_in.into(), "roundtrip", 64),
        behaving("print-endlessly"),
        behaving("report-valid-results"),
    ];
    let finished: Vec<usize> =
        measure(cases, DEADLINE).iter().map(|result| result.repetitions.len()).collect();
    assert_eq!(finished, [0, 2, 0, 2]);
    Ok(())
}

/// Checks that no process with this behaviour is left, including its responder.
pub(crate) fn assert_no_process_left(behaviour: &str) {
    if cfg!(windows) {
        return;
    }
    let until = std::time::Instant::now() + Duration::from_secs(10);
    loop {
        let listed = Command::new("ps").args(["-A", "-o", "stat,args"]).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let left: Vec<&str> = listed
            .lines()
            .filter(|line| line.contains("behave ") && !line.trim_start().starts_with('Z'))
            .collect();
        if left.is_empty() {
            return;
        }
        assert!(std::time::Instant::now() < until, "{behaviour} left {left:?}");
        std::thread::yield_now();
    }
}
