//! Whatever a program does wrong is a failure with a reason that tells the author what; it leaves nothing behind and stops
//! nothing else.

use crate::behaviour::{WANTED, myself};
use crate::support::{case, measure, program};
use crate::{Ran, Test};
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::program::Launch;
use roundtrip_bench::transport;
use roundtrip_wire::CaseResult;
use std::env;
use std::process::Command;
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("a_program_that_tells_the_truth_is_recorded", truth),
    ("whatever_a_program_does_wrong_is_told_by_name", wrong),
    ("a_program_that_hangs_is_killed_at_the_deadline_with_all_that_it_started", hangs),
    ("a_daemon_that_a_program_leaves_behind_holds_up_nobody", daemons),
    ("a_program_that_does_not_end_is_ended_and_its_answer_counts", stays),
    ("what_a_program_lost_is_recorded_as_lost", loses),
    ("a_program_that_cannot_do_a_case_is_unsupported_there", unsupported),
    ("a_program_that_is_not_there_is_told_by_name", missing),
    ("beside_a_program_that_goes_wrong_the_others_are_measured", others),
];

/// Of those that answer.
const DEADLINE: Duration = Duration::from_secs(60);

/// Of those that do not: each of two repetitions waits so long.
const SHORT_DEADLINE: Duration = Duration::from_secs(2);

pub(crate) fn behaving(behaviour: &str) -> PlannedCase {
    let PeerCommand { program: first, arguments } = myself().unwrap();
    let command =
        [vec![first.to_string_lossy().into_owned()], arguments, vec![behaviour.to_owned()]].concat();
    case(program(behaviour, command, env::temp_dir()).into(), "roundtrip", 64)
}

fn measured(behaviour: &str, deadline: Duration) -> CaseResult {
    measure(vec![behaving(behaviour)], deadline).remove(0)
}

fn truth() -> Ran {
    for behaviour in ["tell-the-truth", "be-timed"] {
        let result = measured(behaviour, DEADLINE);
        assert_eq!((result.failures.len(), result.repetitions.len()), (0, 2), "{result:?}");
        assert!(!result.is_lossy());
    }
    Ok(())
}

fn wrong() -> Ran {
    for (behaviour, told) in [
        ("die-at-once", "ended with exit code 3 without an answer"),
        ("complain-and-die", "(no licence for this machine)"),
        ("crash", if cfg!(unix) { "killed by signal 6" } else { "without an answer" }),
        ("print-rubbish", "printed `Listening on port 4711`: expected `connected`"),
        ("print-half-a-line", "printed `{\"connected\":{\"initiator"),
        ("print-bytes", "expected `connected`"),
        ("print-without-end", "printed a line of more than 4 MiB"),
        ("fail", "connect: connection refused"),
        ("say-done-first", "said `done`: expected `connected`"),
        ("name-the-first-process", "names process 1: expected one that it has started"),
        ("name-one-process", "for both ends: expected two in 2proc"),
        ("die-when-measuring", "ended with exit code 3 without an answer"),
        ("kill-the-responder", "the responder is gone"),
        ("print-rubbish-when-measuring", "printed `50 % done`: expected `done`"),
        ("count-more-than-asked", "attempted 21 messages: expected 20"),
        ("count-attempts-as-deliveries", "the heads that its responder received add up to"),
        ("leave-a-sample-out", "gives 19 times: expected 20"),
        ("claim-years", "its times add up to"),
        ("misspell", "unknown field `delivred`"),
    ] {
        let result = measured(behaviour, DEADLINE);
        assert!(result.repetitions.is_empty(), "{behaviour}");
        for failure in &result.failures {
            let is_named = failure.reason.starts_with(&format!("{behaviour}: "));
            assert!(is_named && failure.reason.contains(told), "{behaviour}: {}", failure.reason);
        }
        assert_eq!(result.failures.len(), 2, "{behaviour}");
        nobody_left(behaviour);
    }
    Ok(())
}

fn hangs() -> Ran {
    for behaviour in ["hang-at-once", "hang-when-measuring"] {
        let result = measured(behaviour, SHORT_DEADLINE);
        assert_eq!(result.failures[0].reason, format!("{behaviour}: no answer within 2 s, killed"));
        nobody_left(behaviour);
    }
    Ok(())
}

/// It is no longer the program's, so it is not killed; it holds the program's standard output and error open.
fn daemons() -> Ran {
    if cfg!(windows) {
        return Err("on Windows nothing leaves a job".into());
    }
    let wanted = tempfile::NamedTempFile::new().unwrap();
    // Handed down to the program and the daemon.
    let case = behaving("leave-a-daemon");
    let mut program = case.transport.program().unwrap().as_ref().clone();
    if let Launch::Command(command) = &mut program.launch {
        let variable = format!("{WANTED}={}", wanted.path().display());
        command.splice(0..0, ["env".to_owned(), variable]);
    }
    let result = measure(vec![PlannedCase { transport: program.into(), ..case }], DEADLINE).remove(0);
    assert!(wanted.path().exists(), "the failure was told only when the daemon had ended");
    let expected = "leave-a-daemon: ended with exit code 5 without an answer (the daemon has it now)";
    assert_eq!(result.failures[0].reason, expected);
    drop(wanted);
    nobody_left("leave-a-daemon");
    Ok(())
}

fn stays() -> Ran {
    for behaviour in ["stay-when-done", "chatter-when-done"] {
        let result = measured(behaviour, DEADLINE);
        assert_eq!((result.failures.len(), result.repetitions.len()), (0, 2), "{result:?}");
        nobody_left(behaviour);
    }
    Ok(())
}

fn loses() -> Ran {
    let result = measured("lose-one", DEADLINE);
    assert!(result.is_lossy() && result.failures.is_empty(), "{result:?}");
    Ok(())
}

fn unsupported() -> Ran {
    let result = measured("be-unsupported", DEADLINE);
    assert_eq!(result.unsupported.as_deref(), Some("be-unsupported: it knows no such scenario"));
    assert!(result.failures.is_empty() && result.repetitions.is_empty());
    let many_to_many = measure(vec![case(behaving("tell-the-truth").transport, "open-loop", 64)], DEADLINE);
    assert!(many_to_many[0].unsupported.as_deref().unwrap().contains("roundtrip or stream"));
    Ok(())
}

fn missing() -> Ran {
    let absent = program("absent", vec!["./no-such-program".into()], env::temp_dir());
    let result = measure(vec![case(absent.into(), "roundtrip", 64)], DEADLINE).remove(0);
    assert!(result.failures[0].reason.starts_with("absent: starting it: "), "{:?}", result.failures);
    Ok(())
}

fn others() -> Ran {
    let built_in = transport::find("tcp").unwrap();
    let cases = vec![
        behaving("crash"),
        case(built_in.into(), "roundtrip", 64),
        behaving("print-without-end"),
        behaving("tell-the-truth"),
    ];
    let finished: Vec<usize> =
        measure(cases, DEADLINE).iter().map(|result| result.repetitions.len()).collect();
    assert_eq!(finished, [0, 2, 0, 2]);
    Ok(())
}

/// No process of this program runs that was started to behave so, nor the responder that it started.
pub(crate) fn nobody_left(behaviour: &str) {
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
