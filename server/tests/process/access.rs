//! Access from the command line: accounts, tokens, and the options for signing in.

use crate::fake_agent::{enrolment, new_key};
use crate::support::{Finished, Place, SERVE, Server};

/// The secret that a command printed as its only output.
#[track_caller]
fn secret(made: &Finished) -> &str {
    assert!(made.status.success(), "{made:?}");
    assert_eq!(made.output.lines().count(), 1, "only the secret is printed: {made:?}");
    assert!(!made.errors.contains(&made.output), "the secret is shown once");
    made.output.trim()
}

/// The id of a token in the output of `token list`.
fn number(place: &Place, name: &str) -> String {
    let list = place.run(&["token", "list"]);
    let line = list.output.lines().find(|line| line.split_whitespace().nth(1) == Some(name));
    line.unwrap_or_else(|| panic!("{list:?}")).split_whitespace().next().unwrap().to_owned()
}

#[test]
fn creates_the_first_administrator() {
    let place = Place::new();
    let server = place.serve();
    let made = place.run(&["account", "create", "--name", "ada", "--admin"]);
    let ada = secret(&made);
    assert!(ada.starts_with("rtu_"));
    assert_eq!(server.get("/api/v1/accounts"), 401);
    assert_eq!(server.get_as(ada, "/api/v1/accounts"), 200);
    place.run_line("account create --name ada").assert_error(1, &["already exists"]);

    assert_eq!(place.run_line("account create --name grace --github grace-hopper").printed(), "");
    let list = place.run_line("account list").output;
    let lines: Vec<Vec<_>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[1][..2], ["ada", "admin"]);
    assert_eq!(lines[2][..2], ["grace", "grace-hopper"]);

    place.run_line("account delete ada").printed();
    assert_eq!(server.get_as(ada, "/api/v1/accounts"), 401);
    place.run_line("account delete ada").assert_error(1, &["account ada not found"]);
}

#[test]
fn sets_up_a_lab_and_queues_jobs() {
    let place = Place::new();
    let server = place.serve();
    let create = "project create --name libfoo --repository https://git.example.org/libfoo.git";
    assert_eq!(place.run_line(create).printed(), "");
    place.run_line(create).assert_error(1, &["project libfoo already exists"]);
    place
        .run_line("project create --name x --repository ftp://example.org/x")
        .assert_error(1, &["repository_url", "expected https://"]);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let list = place.run_line("project list").output;
    assert_eq!(
        words(list.lines().nth(1).unwrap()),
        ["libfoo", "public", "0", "https://git.example.org/libfoo.git"]
    );
    let shown = place.run_line("project show libfoo").output;
    assert!(shown.contains("Default branch  from the first run\n"), "{shown}");
    place.run_line("project show other").assert_error(1, &["project other not found", "project list"]);

    place.run_line("enrolment create --project other").assert_error(1, &["project other not found"]);
    let made = place.run_line("enrolment create --project libfoo --label lab");
    let asked = enrolment(secret(&made), "lab-1", &new_key());
    let body = serde_json::to_string(&asked).unwrap();
    let json = [("content-type", "application/json")];
    assert_eq!(server.call("POST", "/api/v1/agents", &json, &body).status(), 201);
    let list = place.run_line("agent list --project libfoo").output;
    let line = words(list.lines().nth(1).unwrap());
    assert_eq!((line[0].as_str(), line[1].as_str(), line[4].as_str()), ("lab-1", "online", "lab"), "{list}");

    let sha = "a".repeat(40);
    let create = format!("job create --project libfoo --preset quick --label lab {sha}");
    assert_eq!(place.run_line(&create).printed(), "1");
    let again = place.run_line(&create);
    assert!(again.output.is_empty() && again.errors.contains("already queued"), "{again:?}");
    place
        .run_line(&format!("job create --project libfoo --label none {sha}"))
        .assert_error(1, &["no agent of libfoo"]);
    let abbreviated = place.run_line("job create --project libfoo abcdef0");
    assert_eq!(abbreviated.status.code(), Some(2), "{abbreviated:?}");
    let list = place.run_line("job list --project libfoo").output;
    assert_eq!(
        words(list.lines().nth(1).unwrap())[..5],
        ["1", "queued", sha.as_str(), "lab-1", "request"],
        "{list}"
    );
    let shown = place.run_line("job show --project libfoo 1").output;
    assert!(shown.contains("Started  not yet\n"), "{shown}");
    place.run_line("job show --project libfoo 2").assert_error(1, &["job 2 not found in project libfoo"]);
}

#[test]
fn adds_lists_and_removes_trusted_jobs() {
    let place = Place::new();
    let _server = place.serve();
    // The project need not have any runs.
    let of_lib = "trust create --project libfoo --repository octo/lib --repository-id 101 --owner-id";
    let made = place.run_line(&format!("{of_lib} 7 --git-ref refs/heads/*"));
    assert!(made.status.success() && made.errors.contains("created trust 1:"), "{made:?}");
    let list = place.run_line("trust list").output;
    let line: Vec<_> = list.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(line[..8], ["1", "libfoo", "octo/lib", "101", "7", "any", "refs/heads/*", "any"], "{list}");
    assert!(line[8].starts_with("https://token.actions."), "{list}");
    place.run_line("trust delete 1").printed();
    place.run_line("trust delete 1").assert_error(1, &["trust 1 not found"]);
    assert_eq!(place.run_line(&format!("{of_lib} octo")).status.code(), Some(2));
}

#[test]
fn lists_rotates_and_revokes_tokens_of_a_running_server() {
    let place = Place::new();
    let server = place.serve();
    let made =
        place.run_line("token create --name lab-3 --project libfoo --machine lab-3 --expires-in-days 7");
    let first = secret(&made);
    assert!(first.starts_with("rta_"));
    assert_eq!(server.put_invalid(first), 400, "the token is accepted");
    assert_eq!(server.put_invalid("unknown"), 401);
    let list = place.run(&["token", "list"]).output;
    let line: Vec<_> = list.lines().find(|line| line.contains("lab-3")).unwrap().split_whitespace().collect();
    assert_eq!(line[1..6], ["lab-3", "agent", &first[..10], "ingest:write", "libfoo"], "{list}");
    assert!(!list.contains(&first[..12]), "{list}");
    let number = number(&place, "lab-3");

    let rotated = place.run(&["token", "rotate", &number]);
    let second = secret(&rotated);
    for token in [first, second] {
        assert_eq!(server.put_invalid(token), 400, "both tokens are accepted");
    }
    let at_once = place.run(&["token", "rotate", &number, "--overlap-hours", "0"]);
    let third = secret(&at_once);
    assert_eq!([first, second, third].map(|token| server.put_invalid(token)), [401, 401, 400]);

    assert!(place.run(&["token", "revoke", &number]).status.success());
    assert_eq!(server.put_invalid(third), 401);
    for verb in ["revoke", "rotate"] {
        place.run(&["token", verb, &number]).assert_error(1, &["token list"]);
    }
}

#[test]
fn rejects_scopes_of_another_token_kind() {
    let place = Place::new();
    let server = place.serve();
    secret(&place.run(&["account", "create", "--name", "ada"]));
    let reader = place.run_line("token create --name r --kind user --account ada --scope read");
    assert!(secret(&reader).starts_with("rtu_"));
    assert_eq!(server.put_invalid(secret(&reader)), 403);
    let ci = place.run(&["token", "create", "--name", "ci", "--kind", "ci", "--project", "libfoo"]);
    assert!(secret(&ci).starts_with("rtc_"));
    for wrong in [
        "--kind ci --scope admin",
        "--kind user",
        "--account ada",
        "--kind ci --machine lab-1",
        "--kind robot",
        "--scope everything",
        "--project Not_A_Slug",
    ] {
        let refused = place.run_line(&format!("token create --name x {wrong}"));
        assert_eq!(refused.status.code(), Some(2), "{wrong}: {refused:?}");
    }
    let unknown = place.run_line("token create --name x --kind user --account nobody");
    unknown.assert_error(1, &["account nobody not found"]);
}

#[test]
fn private_server_hides_data_from_others() {
    let place = Place::new();
    let server = place.serve_with(&["--host", "0.0.0.0", "--private"]);
    let seen = server.call("GET", "/api/v1/projects", &[], "");
    assert!(seen.body().contains(r#""projects":[]"#), "{seen:?}");
    assert!(server.stop().status.success());
    let both = place.refused(&["--private", "--public-read"]);
    assert_eq!(both.status.code(), Some(2), "{both:?}");
}

#[test]
fn limits_requests_by_client_address() {
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
fn rejects_incomplete_github_options() {
    let place = Place::new();
    let missing = place.folder().join("github.secret");
    let missing = missing.to_str().unwrap();
    for half in [&["--github-client-id", "x"][..], &["--github-client-secret-file", missing]] {
        let refused = place.refused(half);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
    let both = ["--github-client-id", "x", "--github-client-secret-file", missing];
    place.refused(&both).assert_error(1, &[missing]);
    std::fs::write(missing, "secret\n").unwrap();
    let refused = place.refused(&[&both[..], &["--github-url", "github.example"]].concat());
    refused.assert_error(1, &["`github.example` is not a valid GitHub address"]);
    assert!(!place.data_dir().exists(), "no data directory is created");
}

#[test]
fn reads_github_options_from_the_environment() {
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
    for part in ["client_id=Ov23li", "code_challenge_method=S256"] {
        assert!(location.contains(part), "{location}");
    }
}
