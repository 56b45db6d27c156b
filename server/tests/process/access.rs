//! Who is let in, from the command line: accounts, tokens, the door's options.

use crate::support::{Finished, Place, SERVE, Server};

/// The secret that a verb printed, and nothing else.
#[track_caller]
fn secret(made: &Finished) -> &str {
    assert!(made.status.success(), "{made:?}");
    assert_eq!(made.output.lines().count(), 1, "the secret and nothing else: {made:?}");
    assert!(!made.errors.contains(&made.output), "the secret is shown once");
    made.output.trim()
}

/// The number of the token that stands in a line of `token list`.
fn number(place: &Place, name: &str) -> String {
    let list = place.run(&["token", "list"]);
    let line = list.output.lines().find(|line| line.split_whitespace().nth(1) == Some(name));
    line.unwrap_or_else(|| panic!("{list:?}")).split_whitespace().next().unwrap().to_owned()
}

#[test]
fn the_first_administrator_comes_from_the_command_line() {
    let place = Place::new();
    let server = place.serve();
    let made = place.run(&["account", "create", "--name", "ada", "--admin"]);
    let ada = secret(&made);
    assert!(ada.starts_with("rtu_"));
    assert_eq!(server.get("/api/v1/accounts"), 401);
    assert_eq!(server.get_as(ada, "/api/v1/accounts"), 200);
    let taken = place.run(&["account", "create", "--name", "ada"]);
    assert!(taken.sentence(1).contains("another account's"), "{taken:?}");

    let with_github = place.run(&["account", "create", "--name", "grace", "--github", "grace-hopper"]);
    assert!(with_github.status.success() && with_github.output.is_empty(), "{with_github:?}");
    let list = place.run(&["account", "list"]).output;
    let lines: Vec<Vec<_>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        (lines[1][..2].to_vec(), lines[2][..2].to_vec()),
        (vec!["ada", "admin"], vec!["grace", "grace-hopper"])
    );

    assert!(place.run(&["account", "delete", "ada"]).status.success());
    assert_eq!(server.get_as(ada, "/api/v1/accounts"), 401);
    assert!(place.run(&["account", "delete", "ada"]).sentence(1).contains("no account ada"));
}

#[test]
fn jobs_are_trusted_listed_and_trusted_no_more_from_the_command_line() {
    let place = Place::new();
    let _server = place.serve();
    // The project need not have begun.
    let of_lib =
        ["trust", "create", "--project", "libfoo", "--repository", "octo/lib", "--repository-id", "101"];
    let made = place.run(&[&of_lib[..], &["--owner-id", "7", "--git-ref", "refs/heads/*"]].concat());
    assert!(made.status.success() && made.errors.contains("this is trust 1"), "{made:?}");
    let list = place.run(&["trust", "list"]).output;
    let line: Vec<_> = list.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(line[..8], ["1", "libfoo", "octo/lib", "101", "7", "any", "refs/heads/*", "any"], "{list}");
    assert!(line[8].starts_with("https://token.actions."), "{list}");
    assert!(place.run(&["trust", "delete", "1"]).status.success());
    assert!(place.run(&["trust", "delete", "1"]).sentence(1).contains("no trust 1"));
    assert_eq!(place.run(&[&of_lib[..], &["--owner-id", "octo"]].concat()).status.code(), Some(2));
}

#[test]
fn a_token_is_listed_rotated_and_revoked_while_the_server_runs() {
    let place = Place::new();
    let server = place.serve();
    let made =
        place.type_in("token create --name lab-3 --project libfoo --machine lab-3 --expires-in-days 7");
    let first = secret(&made);
    assert!(first.starts_with("rta_"));
    let list = place.run(&["token", "list"]).output;
    let line: Vec<_> = list.lines().find(|line| line.contains("lab-3")).unwrap().split_whitespace().collect();
    assert_eq!(line[1..6], ["lab-3", "agent", &first[..10], "ingest:write", "libfoo"], "{list}");
    assert!(!list.contains(&first[..12]), "{list}");
    let number = number(&place, "lab-3");

    let rotated = place.run(&["token", "rotate", &number]);
    let second = secret(&rotated);
    for token in [first, second] {
        assert_eq!(server.put_nonsense(token), 400, "it is let in");
    }
    let at_once = place.run(&["token", "rotate", &number, "--overlap-hours", "0"]);
    let third = secret(&at_once);
    assert_eq!([first, second, third].map(|token| server.put_nonsense(token)), [401, 401, 400]);

    assert!(place.run(&["token", "revoke", &number]).status.success());
    assert_eq!(server.put_nonsense(third), 401);
    for verb in ["revoke", "rotate"] {
        assert!(place.run(&["token", verb, &number]).sentence(1).contains("token list"));
    }
}

#[test]
fn a_token_of_a_kind_has_scopes_of_that_kind() {
    let place = Place::new();
    let server = place.serve();
    secret(&place.run(&["account", "create", "--name", "ada"]));
    let reader = place.type_in("token create --name r --kind user --account ada --scope read");
    assert!(secret(&reader).starts_with("rtu_"));
    assert_eq!(server.put_nonsense(secret(&reader)), 403);
    let ci = place.run(&["token", "create", "--name", "ci", "--kind", "ci", "--project", "libfoo"]);
    assert!(secret(&ci).starts_with("rtc_"));
    for wrong in [
        &["--kind", "ci", "--scope", "admin"][..],
        &["--kind", "user"],
        &["--account", "ada"],
        &["--kind", "ci", "--machine", "lab-1"],
        &["--kind", "robot"],
        &["--scope", "everything"],
        &["--project", "Not A Slug"],
    ] {
        let refused = place.run(&[&["token", "create", "--name", "x"], wrong].concat());
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}: {refused:?}");
    }
    let nobodys = place.run(&["token", "create", "--name", "x", "--kind", "user", "--account", "nobody"]);
    assert!(nobodys.sentence(1).contains("no account nobody"), "{nobodys:?}");
}

#[test]
fn a_private_server_may_be_reached_by_others_and_shows_them_nothing() {
    let place = Place::new();
    let server = place.serve_with(&["--host", "0.0.0.0", "--private"]);
    let seen = server.call("GET", "/api/v1/projects", &[], "");
    assert!(seen.body().contains(r#""projects":[]"#), "{seen:?}");
    assert!(server.stop().status.success());
    let both = place.run(&[&SERVE[..], &["--private", "--public-read"]].concat());
    assert_eq!(both.status.code(), Some(2), "{both:?}");
}

#[test]
fn requests_are_counted_by_the_address_that_they_are_from() {
    let place = Place::new();
    let server = place.serve_with(&["--requests-per-minute", "2", "--trusted-proxy", "127.0.0.1"]);
    let get = |client: &str| {
        server.call("GET", "/api/v1/projects", &[("x-forwarded-for", client)], "").status().as_u16()
    };
    assert_eq!([get("203.0.113.1"), get("203.0.113.1"), get("203.0.113.1")], [200, 200, 429]);
    assert_eq!(get("203.0.113.2"), 200);
    assert_eq!(server.get("/readyz"), 200);
}

#[test]
fn half_a_configuration_of_github_is_refused() {
    let place = Place::new();
    let missing = place.folder().join("github.secret");
    let missing = missing.to_str().unwrap();
    for half in [&["--github-client-id", "x"][..], &["--github-client-secret-file", missing]] {
        let refused = place.run(&[&SERVE[..], half].concat());
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
    let both = ["--github-client-id", "x", "--github-client-secret-file", missing];
    let refused = place.run(&[&SERVE[..], &both].concat());
    assert!(refused.sentence(1).contains(missing), "{refused:?}");
    std::fs::write(missing, "secret\n").unwrap();
    let refused = place.run(&[&SERVE[..], &both, &["--github-url", "github.example"]].concat());
    assert!(refused.sentence(1).contains("`github.example` is no address"), "{refused:?}");
    assert!(!place.data_dir().exists(), "nothing was begun");
}

#[test]
fn an_environment_names_github_as_well() {
    let place = Place::new();
    let secret = place.folder().join("github.secret");
    std::fs::write(&secret, "secret\n").unwrap();
    let variables = [
        ("ROUNDTRIP_GITHUB_CLIENT_ID", std::path::Path::new("Ov23li")),
        ("ROUNDTRIP_GITHUB_CLIENT_SECRET_FILE", &secret),
    ];
    let server = Server::start(&place.data_dir(), &SERVE, &variables);
    let answer = server.call("GET", "/auth/github", &[], "");
    let location = answer.headers()["location"].to_str().unwrap();
    assert!(location.starts_with("https://github.com/login/oauth/authorize?"), "{location}");
    assert!(
        location.contains("client_id=Ov23li") && location.contains("code_challenge_method=S256"),
        "{location}"
    );
}
