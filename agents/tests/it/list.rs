//! `roundtrip list` is complete.

use crate::{printed, run_command};
use roundtrip_bench::system::System;
use roundtrip_bench::{definition, program, scenario, transport};
use serde_json::Value;
use std::collections::BTreeSet;

fn list(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    printed(&run_command(folder.path(), &[&["list"], arguments].concat()))
}

fn names() -> [(&'static str, &'static str, BTreeSet<String>); 3] {
    let of_suite = transport::ALL.iter().map(|transport| transport.info().slug.to_string());
    let programs = program::bundled().map(|program| program.info.slug.to_string());
    let scenarios = scenario::ALL.iter().map(|scenario| scenario.slug().to_owned());
    let presets = definition::names().map(str::to_owned);
    [
        ("transports", "slug", of_suite.chain(programs).collect()),
        ("scenarios", "slug", scenarios.collect()),
        ("presets", "name", presets.collect()),
    ]
}

#[test]
fn json_lists_everything() {
    let answer: Value = serde_json::from_str(&list(&["--format", "json"])).unwrap();
    for (member, key, expected) in names() {
        let listed = answer[member].as_array().unwrap();
        let listed: BTreeSet<String> =
            listed.iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect();
        assert_eq!(listed, expected, "{member}");
    }
    for transport in answer["transports"].as_array().unwrap() {
        let unsupported = &transport["unsupported"];
        assert!(unsupported.is_null() || unsupported.as_str().is_some_and(|reason| !reason.is_empty()));
        assert!(transport["control"].is_boolean() && transport["title"].is_string(), "{transport}");
    }
    assert!(answer["presets"].as_array().unwrap().iter().all(|preset| preset["cases"].as_u64() > Some(0)));
}

#[test]
fn text_lists_everything_and_fits_a_terminal() {
    let text = list(&["--all"]);
    for (member, _, expected) in names() {
        for name in expected {
            let is_named = text.lines().any(|line| line.split_whitespace().next() == Some(&name));
            assert!(is_named, "{member}: no line begins with {name}:\n{text}");
        }
    }
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 100).collect();
    assert_eq!(long, Vec::<&str>::new());
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn text_lists_transports_of_this_system_only() {
    let text = list(&[]);
    let mut hidden = 0;
    for transport in transport::ALL {
        let name = transport.info().slug.to_string();
        let is_here = transport.systems().iter().any(|supported| Some(supported.system) == System::here());
        let is_named = text.lines().any(|line| line.split_whitespace().next() == Some(&name));
        assert_eq!(is_named, is_here, "{name}: {text}");
        hidden += usize::from(!is_here);
    }
    assert!(text.contains(&format!("  {hidden} more on other systems: roundtrip list --all\n")), "{text}");
}

/// Compared on each system that runs this test, so it must be the same on all of them.
#[test]
fn transports_page_is_the_same_on_every_system() {
    let folder = tempfile::tempdir().unwrap();
    let page = printed(&run_command(folder.path(), &["transports"]));
    let stored = include_str!("../../../docs/reference/transports.md");
    assert!(page == stored, "docs/reference/transports.md is stale: run `cargo xtask gen`\n{page}");
}

#[test]
fn verbose_prints_commands_and_requests_without_tokens() {
    let folder = crate::run::repository();
    let server = crate::server::Server::answering(vec![("200 OK", "", |_| {
        r#"{"jobs": [], "next_after": null}"#.into()
    })]);
    std::fs::write(folder.path().join("token"), "rtu_secret\n").unwrap();
    let arguments = ["job", "list", "-v", "--token-file", "token", "--server", &server.url];
    let output = run_command(folder.path(), &arguments);
    printed(&output);
    let errors = crate::error_text(&output);
    let request = format!("+ GET {}/api/v1/projects/", server.url);
    crate::assert_contains(&errors, &["+ git -C . rev-parse --show-toplevel (", &request, ": 200 OK ("]);
    assert!(!errors.contains("rtu_secret"), "{errors}");
    assert!(!crate::error_text(&run_command(folder.path(), &["list", "--format", "json"])).contains("+ "));
}
