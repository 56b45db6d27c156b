//! `roundtrip comment` posts one comment on a pull or merge request, updates it, and names what is missing.

use crate::forge::{Forge, KINDS, Kind, NUMBER, PROJECT_ID, TOKEN, USER};
use crate::{printed, refused, roundtrip, run_command, server};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};

const MARKER: &str = "<!-- roundtrip ab -->\n";
const SUMMARY: &str =
    "### 1 of 2 cases regressed\n\nBase a, head b.\n\n| case | change |\n| --- | ---: |\n| pipe | +28 % |\n";

impl Forge {
    /// The command in a job of this forge, for the request.
    fn job(&self, folder: &Path) -> Command {
        let mut command = command(folder);
        let api = format!("{}{}", self.url, self.kind.api());
        if self.kind == Kind::GitLab {
            command.envs([
                ("GITLAB_CI", "true"),
                ("CI_API_V4_URL", &api),
                ("CI_PROJECT_ID", "99"),
                ("CI_MERGE_REQUEST_PROJECT_ID", PROJECT_ID),
                ("CI_MERGE_REQUEST_IID", "12"),
                ("CI_JOB_TOKEN", "job-token"),
                ("CI_JOB_URL", "https://ci.example.org/octo/lib/-/jobs/5"),
                ("ROUNDTRIP_COMMENT_TOKEN", TOKEN),
            ]);
            return command;
        }
        let event =
            json!({"action": "opened", "number": NUMBER, "pull_request": {"number": NUMBER, "id": 912}});
        std::fs::write(folder.join("event.json"), event.to_string()).unwrap();
        command.envs([
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_API_URL", &api),
            ("GITHUB_REPOSITORY", "octo/lib"),
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_EVENT_PATH", "event.json"),
            ("GITHUB_SERVER_URL", "https://ci.example.org"),
            ("GITHUB_RUN_ID", "812"),
            ("GITHUB_RUN_NUMBER", "7"),
            ("GITHUB_TOKEN", TOKEN),
        ]);
        if self.kind == Kind::Gitea {
            command.env("GITEA_ACTIONS", "true");
        }
        command
    }

    /// The command outside of a job, with the address of the request's page.
    fn by_url(&self, folder: &Path) -> Command {
        let mut command = command(folder);
        command
            .env("ROUNDTRIP_COMMENT_TOKEN", TOKEN)
            .args(["--url", &format!("{}{}", self.url, self.kind.page())]);
        command
    }
}

/// The command with a summary, and without the variables of a job that may run the tests.
fn command(folder: &Path) -> Command {
    std::fs::write(folder.join("summary.md"), SUMMARY).unwrap();
    let mut command = roundtrip(folder);
    let of_jobs =
        ["GITLAB_CI", "GITEA_ACTIONS", "FORGEJO_ACTIONS", "GITHUB_TOKEN", "ROUNDTRIP_COMMENT_TOKEN"];
    for name in of_jobs.into_iter().chain(["CI_JOB_URL", "CI_PIPELINE_URL", "BUILD_URL"]) {
        command.env_remove(name);
    }
    command.args(["comment", "summary.md"]);
    command
}

fn run(mut command: Command) -> Output {
    command.output().unwrap()
}

#[test]
fn posts_one_comment_and_updates_it_in_jobs_of_each_forge() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::start(kind);
        // Comments of others before and after, on two pages; one of them has the marker.
        for id in 0..120 {
            forge.add(id, "a-user", if id == 3 { MARKER } else { "Nice work." });
        }
        forge.add(500, USER, "A comment without the marker.");

        let address = printed(&run(forge.job(folder.path())));
        let anchor = if kind == Kind::GitLab { "note_9121" } else { "issuecomment-9121" };
        assert_eq!(address, format!("{}{}#{anchor}\n", forge.url, kind.page()), "{kind:?}");
        let job = match kind {
            Kind::GitHub => "https://ci.example.org/octo/lib/actions/runs/812",
            Kind::GitLab => "https://ci.example.org/octo/lib/-/jobs/5",
            Kind::Gitea => "https://ci.example.org/octo/lib/actions/runs/7?by_index=1",
        };
        let expected = format!("{MARKER}{SUMMARY}\n[Job](<{job}>)\n");
        assert_eq!(forge.bodies(USER), ["A comment without the marker.", &expected], "{kind:?}");

        for id in 600..700 {
            forge.add(id, "a-user", "Thanks.");
        }
        let command = forge.job(folder.path());
        std::fs::write(folder.path().join("summary.md"), "### None of 2 cases regressed\n").unwrap();
        assert_eq!(printed(&run(command)), address, "{kind:?}");
        let expected = format!("{MARKER}### None of 2 cases regressed\n\n[Job](<{job}>)\n");
        assert_eq!(forge.bodies(USER), ["A comment without the marker.", &expected], "{kind:?}");
        assert_eq!(forge.bodies("a-user").iter().filter(|body| *body == MARKER).count(), 1, "{kind:?}");
    }
}

#[test]
fn finds_the_request_by_its_address_outside_of_jobs() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::start(kind);
        for _ in 0..2 {
            printed(&run(forge.by_url(folder.path())));
        }
        // Without a job, there is no link to one.
        assert_eq!(forge.bodies(USER), [format!("{MARKER}{SUMMARY}")], "{kind:?}");
    }
}

#[test]
fn forgejo_is_treated_like_gitea() {
    let folder = tempfile::tempdir().unwrap();
    let forge = Forge::start(Kind::Gitea);
    let mut command = forge.job(folder.path());
    command.env_remove("GITEA_ACTIONS").env("FORGEJO_ACTIONS", "true");
    printed(&run(command));
    assert!(forge.bodies(USER)[0].ends_with("/actions/runs/7?by_index=1>)\n"));
}

#[test]
fn cuts_a_summary_to_the_limit_of_the_forge() {
    let long = format!("{SUMMARY}{}", "| pipe | +28 % |\n".repeat(20_000));
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::start(kind);
        let command = forge.job(folder.path());
        std::fs::write(folder.path().join("summary.md"), &long).unwrap();
        printed(&run(command));
        let body = &forge.bodies(USER)[0];
        assert_eq!(body.contains("| pipe | +28 % |\n\nCut at 65,536 characters"), kind == Kind::GitHub);
        assert_eq!(body.contains(&long), kind != Kind::GitHub);
        assert!(body.trim_end().lines().last().unwrap().starts_with("[Job](<https://ci.example.org/"));
    }
}

#[test]
fn sends_a_jobs_token_only_to_the_server_of_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let forge = Forge::start(Kind::Gitea);
    let mut command = forge.by_url(folder.path());
    command.env_remove("ROUNDTRIP_COMMENT_TOKEN").env("GITHUB_TOKEN", TOKEN).env("GITHUB_ACTIONS", "true");
    refused(&run(command), 5, &["No token to comment with. Set ROUNDTRIP_COMMENT_TOKEN."]);
    assert_eq!(forge.state().log, Vec::<String>::new());
}

#[test]
fn names_what_a_job_lacks() {
    let folder = tempfile::tempdir().unwrap();
    refused(
        &run(command(folder.path())),
        2,
        &["--url https://codeberg.org/OWNER/REPOSITORY/pulls/12", "GitLab CI"],
    );
    let [github, gitlab, gitea] = KINDS.map(Forge::start);
    let without = |forge: &Forge, name: &str| {
        let mut command = forge.job(folder.path());
        command.env_remove(name);
        run(command)
    };
    let help = ["CI_MERGE_REQUEST_IID is not set", "merge_request_event", "--url"];
    refused(&without(&gitlab, "CI_MERGE_REQUEST_IID"), 2, &help);
    refused(&without(&gitlab, "CI_API_V4_URL"), 2, &["CI_API_V4_URL is not set", "--url"]);
    let help =
        ["ROUNDTRIP_COMMENT_TOKEN", "masked", "scope api", "role Reporter", "CI_JOB_TOKEN cannot", "forks"];
    refused(&without(&gitlab, "ROUNDTRIP_COMMENT_TOKEN"), 5, &help);
    for forge in [&github, &gitea] {
        refused(&without(forge, "GITHUB_TOKEN"), 5, &["`env: {GITHUB_TOKEN: \"${{ github.token }}\"}`"]);
        refused(&without(forge, "GITHUB_EVENT_PATH"), 2, &["GITHUB_EVENT_PATH is not set"]);
        let mut push = forge.job(folder.path());
        std::fs::write(folder.path().join("event.json"), r#"{"ref": "refs/heads/main"}"#).unwrap();
        push.env("GITHUB_EVENT_NAME", "push");
        refused(&run(push), 2, &["not for a pull request", "\"push\"", "`on: pull_request`", "--url"]);
    }
    let mut spaces = gitea.job(folder.path());
    spaces.env("GITHUB_TOKEN", "a token");
    refused(&run(spaces), 5, &["the token in GITHUB_TOKEN", "spaces"]);
    for forge in [github, gitlab, gitea] {
        assert_eq!(forge.state().log, Vec::<String>::new());
    }
}

#[test]
fn rejects_a_missing_or_empty_summary() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_command(folder.path(), &["comment", "summary.md"]);
    refused(&output, 2, &["cannot read summary.md"]);
    std::fs::write(folder.path().join("summary.md"), "\n").unwrap();
    let output = run_command(folder.path(), &["comment", "summary.md"]);
    refused(&output, 2, &["summary.md is empty", "`roundtrip ab --summary FILE`"]);
}

#[test]
fn explains_a_rejected_token() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::start(kind);
        let mut command = forge.by_url(folder.path());
        command.env("ROUNDTRIP_COMMENT_TOKEN", "another");
        let text = refused(&run(command), 5, &["rejects the token (401: Bad credentials)", "expired"]);
        assert!(!text.contains("another"), "{text}");
    }
}

#[test]
fn explains_missing_permissions() {
    let integration = json!({"message": "Resource not accessible by integration", "status": "403"});
    // GitLab's form of an error about scopes.
    let scope = json!({"error": "insufficient_scope", "error_description": "higher privileges needed", "scope": "api"});
    let scopes = json!({"message": "token does not have at least one of required scope(s)", "url": ""});
    for (kind, body, words) in [
        (
            Kind::GitHub,
            integration,
            ["pull request 12", "not accessible by integration", "pull-requests: write"],
        ),
        (
            Kind::GitLab,
            scope,
            ["merge request 12", "(403: higher privileges needed", "the scope api and the role Reporter"],
        ),
        (Kind::Gitea, scopes, ["pull request 12", "required scope(s)", "write:issue and read:user"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::start(kind);
        forge.state().denied = Some((403, body));
        refused(&run(forge.job(folder.path())), 5, &words);
    }
}

#[test]
fn explains_a_wrong_number_or_project() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let forge = Forge::start(kind);
        let refused_at = |page: &str, code: i32, words: &[&str]| {
            let mut command = command(folder.path());
            command.env("ROUNDTRIP_COMMENT_TOKEN", TOKEN).args(["--url", &format!("{}{page}", forge.url)]);
            refused(&run(command), code, words);
        };
        let words = if kind == Kind::GitLab {
            "no merge request 14 in the project octo/group/lib"
        } else {
            "no pull request 14 in the project octo/lib"
        };
        refused_at(
            &kind.page().replace("12", "14"),
            1,
            &[words, "or the token cannot read it (404", "Check the address"],
        );
        refused_at(&kind.page().replace("lib", "other"), 1, &["/other", "404"]);
        if kind != Kind::GitLab {
            refused_at(
                &kind.page().replace("12", "13"),
                2,
                &["/octo/lib/issues/13 is an issue, not a pull request"],
            );
        }
        assert!(forge.state().log.iter().all(|line| line.starts_with("GET ") || line == "POST /api/graphql"));
    }
}

#[test]
fn explains_redirects_failures_and_other_servers() {
    let folder = tempfile::tempdir().unwrap();
    let forge = Forge::start(Kind::Gitea);
    for (status, headers, body, words) in [
        (
            301,
            "location: https://new.example.org/api/v1/user\r\n",
            "",
            ["redirects to https://new.example.org/api/v1/user", "--url"],
        ),
        (503, "", r#"{"message": ""}"#, ["/api/v1/user returned 503.", "Try again later"]),
        (405, "", "<html>", ["returned 405", "Is it the API of Gitea or Forgejo?"]),
        (
            423,
            "",
            r#"{"message": "octo/lib is archived."}"#,
            ["/api/v1/user returned 423", ": octo/lib is archived.\n"],
        ),
        (200, "content-type: text/html\r\n", "<html>", ["unexpected response from", "/api/v1/user"]),
        (200, "", "{}", ["unexpected response from", "no name of the token's user"]),
    ] {
        forge.state().broken = Some((status, headers.to_owned(), body.to_owned()));
        refused(&run(forge.by_url(folder.path())), 1, &words);
    }
    // A redirect is not followed, because the address may be another server's.
    assert_eq!(forge.state().log, Vec::<String>::new());
    let mut gone = command(folder.path());
    gone.env("ROUNDTRIP_COMMENT_TOKEN", TOKEN);
    gone.args(["--url", &format!("http://{}/octo/lib/pulls/12", server::unused_address())]);
    refused(&run(gone), 1, &["no response from http://127.0.0.1:"]);
}
