//! Notifications from real servers: mail to a real mail server, and servers killed while sending.

use crate::database::{execute, number, until};
use crate::receiver::{Reaction, Receiver};
use crate::report::numbered;
use crate::support::{Place, SERVE, Server, eventually};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Names a Python with the packages of the mail server; set by `cargo xtask test`.
const PYTHON: &str = "ROUNDTRIP_SMTP_PYTHON";
const PASSWORD: &str = "correct horse battery staple";
/// Far longer than a message takes.
const DEADLINE: Duration = Duration::from_secs(120);

/// A running mail server, and its received messages.
struct MailServer {
    child: Child,
    port: String,
    taken: mpsc::Receiver<String>,
}

impl MailServer {
    /// Starts it with a certificate in a new folder. None without Python, with a message.
    fn start(tls: &Path) -> Option<Self> {
        let python = std::env::var(PYTHON).unwrap_or_else(|_| {
            panic!("{PYTHON} names no Python with aiosmtpd and trustme: run `cargo xtask test`, or set it")
        });
        if python.is_empty() {
            println!("tests with a mail server do not apply: python3 is missing, which runs it");
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/mail_server.py");
        std::fs::create_dir(tls).unwrap();
        let mut child = Command::new(python)
            .arg(script)
            .args(["--tls", tls.to_str().unwrap(), "--password", PASSWORD])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().expect("the port of the mail server").unwrap();
        let (sender, taken) = mpsc::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Some(Self { child, port, taken })
    }

    fn url(&self) -> String {
        format!("smtp://roundtrip@127.0.0.1:{}?tls=required", self.port)
    }

    fn next(&self) -> Value {
        serde_json::from_str(&self.taken.recv_timeout(DEADLINE).expect("a message")).unwrap()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A project with a run, and the token of its administrator.
fn begin(place: &Place, server: &Server, name: &str, url: &str) -> (String, String) {
    assert_eq!(server.put_numbered(1, &place.token_of(name)), 201);
    let admin = place.run_on(url, &["account", "create", "--name", "ada", "--admin"]).printed();
    let channels = format!("/api/v1/projects/{}/channels", numbered(1).1["project"].as_str().unwrap());
    (admin, channels)
}

/// Creates a channel, and returns the result of its test message.
fn try_channel(server: &Server, channels: &str, token: &str, request: &Value) -> Value {
    let made = server.post(channels, token, request);
    server.post(&format!("{channels}/{}/test", made["channel"]["channel_id"]), token, &json!({}))
}

/// Writes a regression like the change search, with every channel due.
const FOUND: &str = "
    with found as (
        insert into regression (
            project_id, direction, state, cause, after_commit_id, until_commit_id, created_at, updated_at
        )
        select project_id, 'regressed', 'new', 'commit', commit_id, commit_id, now(), now() from commit
        order by commit_id limit 1
        returning regression_id
    ), changes as (
        insert into change_point (
            series_id, environment_id, figure, commit_id, after_commit_id, until_commit_id, places, before_level,
            after_level, confidence, matters, cause, regression_id, found_at
        )
        select series_id, environment_id, 'p50-' || regression_id, commit_id, commit_id, commit_id, '[]', 1000, 1200, 0.99,
               true, 'commit', regression_id, now()
        from found, series, commit, environment limit 1
        returning regression_id
    )
    insert into notification (notification_channel_id, event, subject, regression_id, created_at, due_at)
    select notification_channel_id, 'regressed', 'regression:' || regression_id, regression_id, now(), now()
    from found, notification_channel";

/// Likewise, writes the end of all regressions.
const FIXED: &str = "
    update regression set state = 'fixed', fixed_by_commit_id = until_commit_id;
    insert into notification (notification_channel_id, event, subject, regression_id, created_at, due_at)
    select notification_channel_id, 'fixed', 'regression:' || regression_id, regression_id, now(), now()
    from regression, notification_channel";

#[test]
fn sends_encrypted_mail_and_threads_replies() {
    let place = Place::new();
    let tls = place.folder().join("tls");
    let Some(mail) = MailServer::start(&tls) else { return };
    let password_file = place.folder().join("smtp.password");
    std::fs::write(&password_file, format!("{PASSWORD}\n")).unwrap();
    let postgres = place.postgres();
    let url = &postgres.first_line;
    let smtp_url = mail.url();
    let arguments = [
        "--smtp-url",
        &smtp_url,
        "--smtp-password-file",
        password_file.to_str().unwrap(),
        "--mail-from",
        "Roundtrip <roundtrip@example.org>",
        "--public-url",
        "https://roundtrip.example.org",
    ];
    let authority = tls.join("authority.pem");
    let variables = [("DATABASE_URL", Path::new(url)), ("SSL_CERT_FILE", &authority)];
    let data_dir = place.folder().join("one");
    let server = Server::start(&data_dir, &[&SERVE[..], &arguments].concat(), &variables);
    let (token, channels) = begin(&place, &server, "one", url);
    let project = channels.split('/').nth(4).unwrap().to_owned();
    let request = json!({
        "name": "lab", "kind": "email", "target": "lab@example.org", "events": ["regressed", "fixed"],
    });
    let outcome = try_channel(&server, &channels, &token, &request);
    assert_eq!(outcome, json!({"delivered": true, "detail": "Delivered."}));
    let tested = mail.next();
    assert_eq!(tested["headers"]["subject"], format!("[{project}] Test from {project}"));
    assert_eq!(tested["is_encrypted"], true);
    assert_eq!(tested["user"], "roundtrip");

    execute(url, FOUND);
    let found = mail.next();
    assert_eq!(found["to"], json!(["lab@example.org"]));
    assert_eq!(found["from"], "roundtrip@example.org");
    assert_eq!(found["defects"], json!([]));
    let header = |mail: &Value, name: &str| mail["headers"][name].as_str().unwrap_or_default().to_owned();
    let title = format!("[{project}] 1 regression in {project}: +20 % in 1 series on ");
    assert!(header(&found, "subject").starts_with(&title), "{found}");
    let settings = format!("https://roundtrip.example.org/{project}/settings?section=notifications");
    assert_eq!(header(&found, "list-unsubscribe"), format!("<{settings}>"));
    assert_eq!(header(&found, "auto-submitted"), "auto-generated");
    assert_eq!(header(&found, "in-reply-to"), "");
    let page = format!("https://roundtrip.example.org/{project}/regressions/1");
    for part in ["plain", "html"] {
        let text = found[part].as_str().unwrap();
        assert!(text.contains(&page) && text.contains("section=notifications"), "{text}");
    }
    let message_id = header(&found, "message-id");
    assert!(message_id.starts_with('<') && message_id.ends_with("@example.org>"), "{message_id}");

    execute(url, FIXED);
    let fixed = mail.next();
    assert!(header(&fixed, "subject").contains("1 regression fixed"), "{fixed}");
    for name in ["in-reply-to", "references"] {
        assert_eq!(header(&fixed, name), message_id, "{name}");
    }

    // The mail server rejects unknown recipients, which the server reports.
    let request = json!({"name": "nobody", "kind": "email", "target": "nobody@example.org"});
    let outcome = try_channel(&server, &channels, &token, &request);
    let detail = outcome["detail"].as_str().unwrap();
    assert!(detail.contains("there is no such person here"), "{outcome}");
    let finished = server.stop();
    assert!(!finished.errors.contains(PASSWORD));
}

#[test]
fn rejects_untrusted_mail_certificates_before_sending_the_password() {
    let place = Place::new();
    let Some(mail) = MailServer::start(&place.folder().join("tls")) else { return };
    let password_file = place.folder().join("smtp.password");
    std::fs::write(&password_file, PASSWORD).unwrap();
    let smtp_url = mail.url();
    let postgres = place.postgres();
    let url = &postgres.first_line;
    let password_file = password_file.to_str().unwrap();
    let arguments =
        ["--smtp-url", &smtp_url, "--smtp-password-file", password_file, "--mail-from", "a@example.org"];
    let server = place.serve_on("one", url, &arguments);
    let (token, channels) = begin(&place, &server, "one", url);
    let request = json!({"name": "lab", "kind": "email", "target": "lab@example.org"});
    let outcome = try_channel(&server, &channels, &token, &request);
    assert_eq!(outcome["delivered"], false);
    assert!(outcome["detail"].as_str().unwrap().contains("certificate"), "{outcome}");
    assert!(mail.taken.try_recv().is_err());
}

#[test]
fn rejects_incomplete_or_unsafe_mail_options() {
    let place = Place::new();
    let password_file = place.folder().join("smtp.password");
    std::fs::write(&password_file, PASSWORD).unwrap();
    let password_file = password_file.to_str().unwrap();
    assert_eq!(place.refused(&["--smtp-url", "smtp://127.0.0.1"]).status.code(), Some(2));
    let from = ["--mail-from", "a@example.org"];
    let with_password = ["--smtp-password-file", password_file];
    for (url, more, expected) in [
        ("http://127.0.0.1", &[][..], "--smtp-url is invalid"),
        ("smtp://a:b@127.0.0.1", &[], "Use --smtp-password-file instead"),
        ("smtp://a@127.0.0.1", &with_password, "a password requires encryption"),
        ("smtps://127.0.0.1", &with_password, "--smtp-password-file needs a user"),
    ] {
        place.refused(&[&["--smtp-url", url], more, &from].concat()).assert_error(1, &[expected]);
    }
    let no_scheme = place.refused(&["--public-url", "roundtrip.example.org"]);
    no_scheme.assert_error(2, &["expected https://HOST or http://HOST"]);
}

#[test]
fn resends_a_message_with_the_same_id_after_a_kill() {
    let (_postgres, place, url) = &Place::with_postgres();
    let receiver = Receiver::start();
    let killed = place.serve_on("one", url, &["--allow-private-targets"]);
    let (token, channels) = begin(place, &killed, "one", url);
    let request = json!({"name": "ours", "kind": "webhook", "target": receiver.url()});
    killed.post(&channels, &token, &request);
    receiver.react(Reaction::Hang);
    execute(url, FOUND);
    eventually("a message on its way", || (receiver.received().len() == 1).then_some(()));
    killed.signal(Signal::KILL);
    killed.finish();
    let unsent = "select count(*) from notification_message where sent_at is null and attempts = 1";
    assert_eq!(number(url, unsent), 1);
    receiver.react(Reaction::Answer(200, ""));
    // The lease of one minute has expired.
    execute(url, "update notification_message set lease_expires_at = now()");
    let next = place.serve_on("two", url, &["--allow-private-targets"]);
    let sent = "select count(*) from notification_message where sent_at is not null";
    until("the message", url, sent, 1);
    let received = receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].headers["webhook-id"], received[1].headers["webhook-id"]);
    assert_eq!(received[0].body, received[1].body);
    assert!(next.stop().status.success());
}

#[test]
fn two_servers_send_each_notification_once() {
    const CHANNELS: usize = 12;
    let (_postgres, place, url) = &Place::with_postgres();
    let receiver = Receiver::start();
    let servers = ["one", "two"].map(|name| place.serve_on(name, url, &["--allow-private-targets"]));
    let (token, channels) = begin(place, &servers[0], "one", url);
    for nth in 0..CHANNELS {
        let request = json!({"name": format!("nr {nth}"), "kind": "webhook", "target": receiver.url()});
        servers[nth % 2].post(&channels, &token, &request);
    }
    for round in 1..=3_i64 {
        execute(url, FOUND);
        let all_sent = format!(
            "select ({round} * {CHANNELS} = (
                 select count(*) from notification join notification_message using (notification_message_id)
                 where sent_at is not null
             ))::int::bigint"
        );
        until("all notifications to be sent", url, &all_sent, 1);
    }
    for server in servers {
        assert!(server.stop().status.success());
    }
    let received = receiver.received();
    let ids: BTreeSet<_> = received.iter().map(|one| &one.headers["webhook-id"]).collect();
    assert_eq!((received.len(), ids.len()), (3 * CHANNELS, 3 * CHANNELS));
}
