//! `roundtrip doctor` works on any machine, with text and JSON output.

use crate::server::Server;
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
    let folder = tempfile::tempdir().unwrap();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let test = |further: &[&str]| {
        let server = format!("http://{gone}");
        let output = run_command(folder.path(), &[&["doctor", "--server", &server], further].concat());
        // The answer is on standard output only.
        assert_eq!(refused(&output, 1, &[]), "");
        String::from_utf8(output.stdout).unwrap()
    };
    let answer: Value = serde_json::from_str(&test(&["--format", "json"])).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    let found = ["slug", "state", "found"].map(|member| findings[0][member].as_str().unwrap());
    assert!(found[..2] == ["server", "limiting"] && found[2].contains("no response from"), "{answer}");
    let text = test(&[]);
    assert!(text.trim_end().ends_with("1 connection problem found."), "{text}");

    refused(&run_command(folder.path(), &["doctor", "--server", "ipc.example.org"]), 2, &[]);
}

#[test]
fn succeeds_for_a_server_without_problems() {
    let ready = ("200 OK", "", (|_| String::new()) as fn(&[u8]) -> String);
    let document = (
        "200 OK",
        "content-type: application/json\r\n",
        (|_| format!(r#"{{"info": {{"version": "{}"}}}}"#, env!("CARGO_PKG_VERSION"))) as fn(&[u8]) -> String,
    );
    let server = Server::answering(vec![ready, document]);
    let text = doctor(&["--server", &server.url]);
    assert!(text.ends_with("Connection OK.\n"), "{text}");
}
