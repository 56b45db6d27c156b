//! External programs: the examples in `external/` and those that use IPC libraries, each run through the cases of built-in
//! transports; and programs that hang, report false results, print garbage or die. Each of those must be detected and stop
//! nothing else.
//!
//! The program starts itself as each of the latter, which is why it has its own `main`.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod behaviour;
mod examples;
mod libraries;
mod misbehaviour;
mod places;
mod support;
mod turns;

use std::panic;
use std::process::ExitCode;

/// The result of a test: success, or why it could not run here.
type TestResult = Result<(), String>;

type Test = (&'static str, fn() -> TestResult);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, behaviour, ..] = &arguments[..]
        && first == "behave"
    {
        return behaviour::main(behaviour);
    }
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(*part));
    let all = [examples::TESTS, libraries::TESTS, misbehaviour::TESTS, turns::TESTS, places::TESTS].concat();
    let tests: Vec<Test> = all.into_iter().filter(|test| is_wanted(test.0)).collect();
    println!("\nrunning {} tests", tests.len());
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for (name, test) in tests {
        match panic::catch_unwind(test) {
            Ok(Ok(())) => {
                passed += 1;
                println!("test {name} ... ok");
            }
            Ok(Err(reason)) => {
                ignored += 1;
                println!("test {name} ... ignored, {reason}");
            }
            // The panic has printed its message.
            Err(_) => {
                failed += 1;
                println!("test {name} ... FAILED");
            }
        }
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out\n"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
