//! `roundtrip doctor` works on any machine, with text and JSON output.

use crate::{error_text, printed, refused, run_command};
use serde_json::Value;
use std::net::TcpListener;

fn doctor(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = run_command(folder.path(), &[&["doctor"], arguments].concat());
    assert_eq!(error_text(&output), "");
    printed(&output)
}

#[test]
fn findings_have_state_and_reason() {
    let answer: Value = serde_json::from_str(&doctor(&["--format", "json"])).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    assert!(findings.len() > 20, "{answer}");
    for finding in findings {
        let text =
            |member: &str| finding[member].as_str().unwrap_or_else(|| panic!("no {member}: {finding}"));
        assert!(["noisy", "limiting", "unknown", "fine"].contains(&text("state")), "{finding}");
        assert!(["slug", "topic", "found", "why"].iter().all(|member| !text(member).is_empty()), "{finding}");
    }
    // This build is one of the findings.
    let build = findings.iter().find(|finding| finding["slug"] == "build").unwrap();
    assert_eq!(build["state"], if roundtrip_bench::BUILD == "debug" { "noisy" } else { "fine" });
}

#[test]
fn text_fits_a_terminal_without_colour() {
    let text = doctor(&[]);
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert_eq!(long, Vec::<&str>::new());
    assert!(!text.contains('\u{1b}'));
    assert!(text.lines().last().unwrap().ends_with('.'), "{text}");
}

#[test]
fn tests_a_server_and_rejects_invalid_urls() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let answer: Value =
        serde_json::from_str(&doctor(&["--server", &format!("http://{gone}"), "--format", "json"])).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    let found = ["slug", "state", "found"].map(|member| findings[0][member].as_str().unwrap());
    assert!(found[..2] == ["server", "limiting"] && found[2].contains("no response from"), "{answer}");
    let text = doctor(&["--server", &format!("http://{gone}")]);
    assert!(text.trim_end().ends_with("1 connection problem found."), "{text}");

    let folder = tempfile::tempdir().unwrap();
    refused(&run_command(folder.path(), &["doctor", "--server", "ipc.example.org"]), 2, &[]);
}
