//! No log level ever logs a secret.

use crate::fake_github::{CLIENT_ID, CLIENT_SECRET, FakeGitHub};
use crate::receiver::Receiver;
use crate::report::numbered;
use crate::support::{Place, SERVE, Server};
use serde_json::json;
use std::path::Path;

const OWN_PAGE: [(&str, &str); 3] =
    [("x-roundtrip-csrf", "1"), ("sec-fetch-site", "same-origin"), ("content-type", "application/json")];

#[test]
fn logs_no_secret() {
    let place = Place::new();
    let github = FakeGitHub::start();
    let secret_file = place.folder().join("github.secret");
    std::fs::write(&secret_file, CLIENT_SECRET).unwrap();
    let (url, api_url) = (github.url(), format!("{}/api/v3", github.url()));
    let variables = [
        ("RUST_LOG", Path::new("trace")),
        ("ROUNDTRIP_GITHUB_CLIENT_ID", Path::new(CLIENT_ID)),
        ("ROUNDTRIP_GITHUB_CLIENT_SECRET_FILE", &secret_file),
        ("ROUNDTRIP_GITHUB_URL", Path::new(&url)),
        ("ROUNDTRIP_GITHUB_API_URL", Path::new(&api_url)),
    ];
    let receiver = Receiver::start();
    let serve = [&SERVE[..], &["--allow-private-targets"]].concat();
    let server = Server::start(&place.data_dir(), &serve, &variables);
    let mut secrets = vec![CLIENT_SECRET.to_owned()];

    // Tokens: created, used, rotated, wrong, and in the wrong place.
    let ada = place.run_line("account create --name ada --admin").printed();
    let made = server.post("/api/v1/tokens", &ada, &json!({"name": "x", "kind": "agent"}));
    let agent = made["secret"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/tokens/{}/rotate", made["token"]["token_id"]);
    let rotated = server.post(&path, &ada, &json!({}));
    secrets.push(rotated["secret"].as_str().unwrap().to_owned());
    assert_eq!(server.put_invalid(&agent), 400);
    let wrong = agent.replacen("rta_", "rtc_", 1);
    assert_eq!(server.put_invalid(&wrong), 401);
    secrets.extend([ada.clone(), agent, wrong]);

    // A tool of an agent, which calls the API with its token.
    let bearer = format!("Bearer {ada}");
    let accept = ("accept", "application/json, text/event-stream");
    let headers = [("authorization", &*bearer), ("content-type", "application/json"), accept];
    let params = json!({"name": "find_series", "arguments": {}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let called = server.call("POST", "/mcp", &headers, &call.to_string());
    assert!(called.body().contains("Projects that you can read: none"), "{}", called.body());

    // Channels: one with a secret address, one with a secret key.
    let first = place.token();
    assert_eq!(server.put_numbered(1, &first), 201);
    let channels = format!("/api/v1/projects/{}/channels", numbered(1).1["project"].as_str().unwrap());
    let hidden = format!("{}/B0000/hiddenhiddenhiddenhidden", receiver.url());
    for kind in ["slack", "webhook"] {
        let made = server.post(&channels, &ada, &json!({"name": kind, "kind": kind, "target": hidden}));
        secrets.extend(made["secret"].as_str().map(str::to_owned));
        let test = format!("{channels}/{}/test", made["channel"]["channel_id"]);
        assert_eq!(server.post(&test, &ada, &json!({}))["delivered"], true);
    }
    secrets.extend([first, "hiddenhiddenhiddenhidden".to_owned()]);

    // Sessions: from a token, rejected, and ended.
    let signed_in = server.call("POST", "/api/v1/session", &OWN_PAGE, &format!(r#"{{"token": "{ada}"}}"#));
    let cookie = first_cookie(&signed_in, "__Host-roundtrip=");
    let with_cookie = [&OWN_PAGE[..], &[("cookie", cookie.as_str())]].concat();
    assert!(server.call("GET", "/api/v1/session", &with_cookie, "").body().contains("ada"));
    server.call("POST", "/api/v1/session", &OWN_PAGE, &format!(r#"{{"tokens": "{ada}"}}"#));
    assert_eq!(server.call("DELETE", "/api/v1/session", &with_cookie, "").status(), 204);
    secrets.push(value_of(&cookie));

    // GitHub: a sign-in, and a second one with the used code.
    place.run_line("account create --name grace --github grace").printed();
    github.sign_in_as(Some((7, "grace")));
    let away = server.call("GET", "/auth/github", &[], "");
    let kept = first_cookie(&away, "__Host-roundtrip-sign-in=");
    let back = github.visit(away.headers()["location"].to_str().unwrap());
    let signed_in = server.call("GET", &back, &[("cookie", &kept)], "");
    secrets.push(value_of(&first_cookie(&signed_in, "__Host-roundtrip=")));
    server.call("GET", &back, &[("cookie", &kept)], "");
    secrets.extend(value_of(&kept).split('.').take(2).map(str::to_owned));
    secrets.extend(github.secrets());

    let finished = server.stop();
    let log = &finished.errors;
    assert!(log.contains("TRACE") && log.contains("/auth/github/callback"), "the log has all levels");
    assert!(secrets.len() >= 11, "{}", secrets.len());
    finished.assert_logs_none(&secrets);
}

fn first_cookie(answer: &ureq::http::Response<String>, begin: &str) -> String {
    let cookies = answer.headers().get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
    let found = cookies.into_iter().find(|cookie| cookie.starts_with(begin));
    found.unwrap_or_else(|| panic!("{answer:?}")).split(';').next().unwrap().to_owned()
}

fn value_of(cookie: &str) -> String {
    cookie.split_once('=').unwrap().1.to_owned()
}
