//! `roundtrip doctor`: it answers on any machine, for people and for programs.

use crate::{complaint, printed, ran, refused};
use serde_json::Value;
use std::net::TcpListener;

fn doctor(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = ran(folder.path(), &[&["doctor"], arguments].concat());
    assert_eq!(complaint(&output), "");
    printed(&output)
}

#[test]
fn every_finding_has_a_state_and_says_what_was_found_and_why_it_matters() {
    let answer: Value = serde_json::from_str(&doctor(&["--format", "json"])).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    assert!(findings.len() > 20, "{answer}");
    for finding in findings {
        let text =
            |member: &str| finding[member].as_str().unwrap_or_else(|| panic!("no {member}: {finding}"));
        assert!(["noisy", "limiting", "unknown", "fine"].contains(&text("state")), "{finding}");
        assert!(["slug", "topic", "found", "why"].iter().all(|member| !text(member).is_empty()), "{finding}");
    }
    // This very program is one of the facts.
    let build = findings.iter().find(|finding| finding["slug"] == "build").unwrap();
    assert_eq!(build["state"], if cfg!(debug_assertions) { "noisy" } else { "fine" });
}

#[test]
fn text_for_people_fits_a_terminal_and_has_no_colour_in_a_pipe() {
    let text = doctor(&[]);
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert_eq!(long, Vec::<&str>::new());
    assert!(!text.contains('\u{1b}'));
    assert!(text.lines().last().unwrap().ends_with('.'), "{text}");
}

#[test]
fn of_a_server_it_says_whether_it_answers_and_what_is_no_address_is_refused() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let answer: Value =
        serde_json::from_str(&doctor(&["--server", &format!("http://{gone}"), "--format", "json"])).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    let found = ["slug", "state", "found"].map(|member| findings[0][member].as_str().unwrap());
    assert!(found[..2] == ["server", "limiting"] && found[2].contains("does not answer"), "{answer}");
    let text = doctor(&["--server", &format!("http://{gone}")]);
    assert!(text.trim_end().ends_with("1 thing stands between this machine and the server."), "{text}");

    let folder = tempfile::tempdir().unwrap();
    refused(&ran(folder.path(), &["doctor", "--server", "ipc.example.org"]), 2, &[]);
}
