//! The GitHub App from its setup by options and files to the effects of an event, without a secret in the
//! log.

use crate::support::{Place, SERVE, Server, eventually};
use roundtrip_github_fake::{APP_KEY, Delivery, FakeGitHub, Level, NewPullRequest, Settings, Signing};
use std::path::Path;

const SECRET: &str = "0123456789abcdef0123456789abcdef01234567";
const PATH: &str = "/api/v1/github/webhooks";

fn deliver(server: &Server, delivery: &Delivery, signing: Signing) -> u16 {
    let (headers, body) = delivery.request(SECRET, signing);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    server.call("POST", PATH, &headers, std::str::from_utf8(&body).unwrap()).status().as_u16()
}

#[test]
fn handles_github_events_without_logging_secrets() {
    let place = Place::new();
    let github = FakeGitHub::start(Settings {
        webhook_secret: SECRET.into(),
        prefix: "/api/v3".into(),
        ..Settings::default()
    });
    let (key_file, secret_file) = (place.folder().join("app.pem"), place.folder().join("webhook.secret"));
    std::fs::write(&key_file, APP_KEY).unwrap();
    std::fs::write(&secret_file, format!("{SECRET}\n")).unwrap();
    let url = github.url();
    let variables = [
        ("RUST_LOG", Path::new("trace")),
        ("ROUNDTRIP_GITHUB_APP_ID", Path::new("123456")),
        ("ROUNDTRIP_GITHUB_APP_KEY_FILE", &key_file),
        ("ROUNDTRIP_GITHUB_WEBHOOK_SECRET_FILE", &secret_file),
        ("ROUNDTRIP_GITHUB_URL", Path::new(&url)),
    ];
    let server = Server::start(&place.data_dir(), &SERVE, &variables);
    let installation = github.install("acme");
    github.add_repository("acme/libfoo", false, Some(installation));
    github.allow("acme/libfoo", "ada", Level::Write);
    let new = NewPullRequest {
        number: 7,
        author: "grace".into(),
        head_sha: "1".repeat(40),
        base_sha: "b".repeat(40),
        head_branch: "topic".into(),
        fork: None,
    };
    assert_eq!(deliver(&server, &github.ping(), Signing::Wrong), 401);
    assert_eq!(deliver(&server, &github.ping(), Signing::Right), 202);
    assert_eq!(deliver(&server, &github.installation_event(installation, "created"), Signing::Right), 202);
    eventually("the repository", || {
        place.run_line("github repositories").output.contains("acme/libfoo").then_some(())
    });
    place.run_line("seed --project libfoo --machines 1 --series 1 --commits 2").printed();
    place.run_line("github link --project libfoo --repository acme/libfoo").printed();
    let unlinked = place.run_line("github link --project libfoo --repository acme/other");
    unlinked.assert_error(1, &["no access to acme/other"]);

    github.open("acme/libfoo", new);
    assert_eq!(deliver(&server, &github.pull_request_event("acme/libfoo", 7, "opened"), Signing::Right), 202);
    github.advance(5);
    let asked = github.comment("acme/libfoo", 7, "ada", "/roundtrip queue");
    assert_eq!(deliver(&server, &github.comment_event("acme/libfoo", asked), Signing::Right), 202);
    eventually("the reaction", || (github.reactions("acme/libfoo", asked) == ["eyes"]).then_some(()));

    let finished = server.stop();
    let log = &finished.errors;
    assert!(log.contains("TRACE") && log.contains(PATH), "the log has all levels");
    let mut secrets: Vec<String> = github.bearers().into_iter().collect();
    assert!(secrets.len() >= 3, "{}", secrets.len());
    secrets.push(SECRET.to_owned());
    secrets.extend(APP_KEY.lines().filter(|line| line.len() > 40).map(str::to_owned));
    finished.assert_logs_none(&secrets);
}

#[test]
fn rejects_incomplete_app_options() {
    let place = Place::new();
    let missing = place.folder().join("missing");
    let (missing, id) = (missing.to_str().unwrap(), "--github-app-id");
    let half = place.refused(&[id, "1"]);
    assert_eq!(half.status.code(), Some(2), "{half:?}");
    assert!(half.errors.contains("--github-app-key-file"), "{half:?}");
    let alone = place.refused(&["--github-webhook-secret-file", missing]);
    assert_eq!(alone.status.code(), Some(2), "{alone:?}");
    let file = place.folder().join("file");
    std::fs::write(&file, "nonsense").unwrap();
    for (file, expected) in [
        (missing, "cannot read the private key of the GitHub App from"),
        (file.to_str().unwrap(), "expected an RSA key in PEM"),
    ] {
        let all = [id, "1", "--github-app-key-file", file, "--github-webhook-secret-file", file];
        place.refused(&all).assert_error(1, &[expected]);
    }
}
