//! `roundtrip doctor`: it answers on any machine, for people and for programs.

use crate::{complaint, roundtrip};
use serde_json::Value;

fn doctor(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = roundtrip(folder.path()).arg("doctor").args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    assert_eq!(complaint(&output), "");
    String::from_utf8(output.stdout).unwrap()
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
