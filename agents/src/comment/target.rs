//! Which pull or merge request to comment on, with which token: from `--url` or from the CI job.

use crate::ci;
use crate::failure::Failure;
use serde::Deserialize;
use ureq::http::Uri;

/// The token for comments. It has priority over [`ACTIONS_TOKEN`].
const TOKEN: &str = "ROUNDTRIP_COMMENT_TOKEN";
/// The token of a job in GitHub, Gitea or Forgejo Actions. It is only sent to the server of the job.
const ACTIONS_TOKEN: &str = "GITHUB_TOKEN";

/// The kinds of API. Gitea and Forgejo have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forge {
    GitHub,
    GitLab,
    Gitea,
}

/// A pull or merge request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) forge: Forge,
    /// The address of the API, without a slash at its end.
    pub(super) api: String,
    /// `OWNER/REPOSITORY`; for GitLab a number, or the path with its slashes encoded.
    pub(super) project: String,
    pub(super) number: u64,
}

/// A variable of the environment, unless it is empty.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The part of the event file of an Actions job that is read.
#[derive(Deserialize)]
struct Event {
    pull_request: Option<PullRequest>,
}

#[derive(Deserialize)]
struct PullRequest {
    number: u64,
}

impl Forge {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
            Self::Gitea => "Gitea or Forgejo",
        }
    }

    /// What the forge calls a request to merge.
    pub(super) fn request(self) -> &'static str {
        if self == Self::GitLab { "merge request" } else { "pull request" }
    }

    /// The limit for a comment, in characters. Gitea and Forgejo have none of their own.
    pub(super) fn characters_max(self) -> usize {
        match self {
            Self::GitHub => 65_536,
            Self::GitLab | Self::Gitea => 1_000_000,
        }
    }

    /// How to give a token the permissions that it needs.
    pub(super) fn permissions(self) -> &'static str {
        match self {
            Self::GitHub => {
                "Give the job `permissions: pull-requests: write`. The token of a fork's job can only read."
            }
            Self::GitLab => {
                "Use a project access token with the scope api and the role Reporter. CI_JOB_TOKEN cannot write \
                 comments."
            }
            Self::Gitea => {
                "Give an access token the scopes write:issue and read:user, or the job `permissions: \
                 pull-requests: write`."
            }
        }
    }
}

impl Target {
    /// Finds the request and the token. `url`: the page of the request.
    pub(super) fn find(url: Option<&str>, variable: Variables<'_>) -> crate::Result<(Self, String)> {
        match url {
            Some(url) => Ok((Self::in_url(url)?, token(&[TOKEN], &format!("Set {TOKEN}."), variable)?)),
            None if is_true("GITLAB_CI", variable) => Self::in_gitlab_ci(variable),
            None if is_actions(variable) => Self::in_actions(variable),
            None => Err(Failure::Usage(
                "No pull request. Pass its address: --url https://codeberg.org/OWNER/REPOSITORY/pulls/12. Only jobs of \
                 GitLab CI and of GitHub, Gitea and Forgejo Actions know their own."
                    .into(),
            )),
        }
    }

    /// Parses the address of the request's page. Each forge has its own form of path.
    fn in_url(url: &str) -> crate::Result<Self> {
        let invalid = || {
            Failure::Usage(format!(
                "invalid --url `{url}`: expected https://HOST/OWNER/REPOSITORY/pull/12 (GitHub), \
                 https://HOST/GROUP/PROJECT/-/merge_requests/12 (GitLab) or \
                 https://HOST/OWNER/REPOSITORY/pulls/12 (Gitea and Forgejo)"
            ))
        };
        let uri: Uri = url.parse().map_err(|_| invalid())?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(invalid());
        };
        let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
        let marks =
            [(Forge::GitLab, "/-/merge_requests/"), (Forge::GitHub, "/pull/"), (Forge::Gitea, "/pulls/")];
        // The last mark counts, because a repository may be called `pull`.
        let matching = |(forge, mark)| {
            let (path, rest) = uri.path().rsplit_once::<&str>(mark)?;
            Some((forge, path, rest.split('/').next()?.parse().ok()?))
        };
        let (forge, path, number) = marks.into_iter().find_map(matching).ok_or_else(invalid)?;
        let names: Vec<&str> = path.split('/').skip(1).collect();
        if names.len() < 2 || names.contains(&"") {
            return Err(invalid());
        }
        // A server may have a path of its own before the owner. For GitLab, nothing separates that from groups.
        let (server_path, project) = names.split_at(if forge == Forge::GitLab { 0 } else { names.len() - 2 });
        let server_path: String = server_path.iter().map(|name| format!("/{name}")).collect();
        let api = match forge {
            Forge::GitLab => format!("{scheme}://{host}{port}/api/v4"),
            Forge::Gitea => format!("{scheme}://{host}{port}{server_path}/api/v1"),
            Forge::GitHub if host == "github.com" || host.ends_with(".ghe.com") => {
                format!("{scheme}://api.{host}")
            }
            Forge::GitHub => format!("{scheme}://{host}{port}/api/v3"),
        };
        let separator = if forge == Forge::GitLab { "%2F" } else { "/" };
        Ok(Self { forge, api, project: project.join(separator), number })
    }

    fn in_gitlab_ci(variable: Variables<'_>) -> crate::Result<(Self, String)> {
        let number = variable("CI_MERGE_REQUEST_IID").ok_or_else(|| {
            Failure::Usage(
                "This pipeline is not for a merge request: CI_MERGE_REQUEST_IID is not set. Give the job \
                 `rules: [{if: $CI_PIPELINE_SOURCE == \"merge_request_event\"}]`, or pass --url."
                    .into(),
            )
        })?;
        let target = Self {
            forge: Forge::GitLab,
            api: address("CI_API_V4_URL", variable)?,
            // A fork's pipeline has another CI_PROJECT_ID.
            project: needed("CI_MERGE_REQUEST_PROJECT_ID", variable)?,
            number: number.parse().map_err(|_| not_a_number("CI_MERGE_REQUEST_IID", &number))?,
        };
        let help = format!(
            "Set {TOKEN}, a masked CI/CD variable that is not protected. {} \
             Pipelines of forks do not have the variable.",
            Forge::GitLab.permissions()
        );
        Ok((target, token(&[TOKEN], &help, variable)?))
    }

    fn in_actions(variable: Variables<'_>) -> crate::Result<(Self, String)> {
        // The runners of Gitea and Forgejo also set the variables of GitHub.
        let is_gitea = ["GITEA_ACTIONS", "FORGEJO_ACTIONS"].into_iter().any(|name| is_true(name, variable));
        let path = needed("GITHUB_EVENT_PATH", variable)?;
        let event: Event = ci::event(&path)?;
        let pull_request = event.pull_request.ok_or_else(|| {
            let name = variable("GITHUB_EVENT_NAME").unwrap_or_default();
            Failure::Usage(format!(
                "This job is not for a pull request, but for the event {name:?}. Use `on: pull_request`, or pass --url \
                 and set {TOKEN}."
            ))
        })?;
        let target = Self {
            forge: if is_gitea { Forge::Gitea } else { Forge::GitHub },
            api: address("GITHUB_API_URL", variable)?,
            project: needed("GITHUB_REPOSITORY", variable)?,
            number: pull_request.number,
        };
        let help = format!("Give the step `env: {{{ACTIONS_TOKEN}: \"${{{{ github.token }}}}\"}}`.");
        Ok((target, token(&[TOKEN, ACTIONS_TOKEN], &help, variable)?))
    }
}

/// The page of this process's CI job.
pub(super) fn job_url(variable: Variables<'_>) -> Option<String> {
    if !is_actions(variable) {
        // GitLab, Woodpecker and Jenkins.
        return ["CI_JOB_URL", "CI_PIPELINE_URL", "BUILD_URL"].into_iter().find_map(variable);
    }
    let server = variable("GITHUB_SERVER_URL")?;
    let runs = format!("{}/{}/actions/runs", server.trim_end_matches('/'), variable("GITHUB_REPOSITORY")?);
    if is_true("GITEA_ACTIONS", variable) || is_true("FORGEJO_ACTIONS", variable) {
        // The address has the number of the run; with this query also in Gitea since 1.26, which else expects the id.
        return Some(format!("{runs}/{}?by_index=1", variable("GITHUB_RUN_NUMBER")?));
    }
    Some(format!("{runs}/{}", variable("GITHUB_RUN_ID")?))
}

fn is_actions(variable: Variables<'_>) -> bool {
    is_true("GITHUB_ACTIONS", variable)
}

fn is_true(name: &str, variable: Variables<'_>) -> bool {
    variable(name).as_deref() == Some("true")
}

fn needed(name: &str, variable: Variables<'_>) -> crate::Result<String> {
    variable(name).ok_or_else(|| {
        Failure::Usage(format!(
            "{name} is not set in this CI job. Pass the address of the request with --url, and set {TOKEN}."
        ))
    })
}

/// An address from a variable of the job, without a slash at its end.
fn address(name: &str, variable: Variables<'_>) -> crate::Result<String> {
    let url = needed(name, variable)?;
    crate::upload::check_address(&url)
        .map_err(|_| Failure::Usage(format!("invalid URL in {name}: `{url}`")))?;
    Ok(url.trim_end_matches('/').to_owned())
}

fn not_a_number(name: &str, text: &str) -> Failure {
    Failure::Usage(format!("invalid number in {name}: `{text}`"))
}

/// The first of these variables that is set.
fn token(names: &[&str], help: &str, variable: Variables<'_>) -> crate::Result<String> {
    let found = names.iter().find_map(|name| Some((name, variable(name)?)));
    let (name, token) =
        found.ok_or_else(|| Failure::Authentication(format!("No token to comment with. {help}")))?;
    let token = token.trim();
    if token.is_empty() || !token.chars().all(|character| character.is_ascii_graphic()) {
        return Err(Failure::Authentication(format!(
            "the token in {name} is empty or contains spaces or line breaks: check that it was copied correctly"
        )));
    }
    Ok(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> (Forge, String, String, u64) {
        let target = Target::in_url(url).unwrap();
        (target.forge, target.api, target.project, target.number)
    }

    #[test]
    fn the_path_of_a_request_names_forge_and_api() {
        let expected = |forge, api: &str, project: &str| (forge, api.to_owned(), project.to_owned(), 12);
        for (url, api, project) in [
            ("https://codeberg.org/o/r/pulls/12", "https://codeberg.org/api/v1", "o/r"),
            ("https://codeberg.org/o/r/pulls/12/files?x=1#top", "https://codeberg.org/api/v1", "o/r"),
            ("https://codeberg.org/o/pull/pulls/12", "https://codeberg.org/api/v1", "o/pull"),
            ("http://[::1]:3000/git/o/r/pulls/12", "http://[::1]:3000/git/api/v1", "o/r"),
        ] {
            assert_eq!(parsed(url), expected(Forge::Gitea, api, project), "{url}");
        }
        for (url, api) in [
            ("https://github.com/o/r/pull/12", "https://api.github.com"),
            ("https://octo.ghe.com/o/r/pull/12", "https://api.octo.ghe.com"),
            ("https://github.example.org/o/r/pull/12/commits", "https://github.example.org/api/v3"),
        ] {
            assert_eq!(parsed(url), expected(Forge::GitHub, api, "o/r"), "{url}");
        }
        let url = "https://github.com/pull/pull/pull/12";
        assert_eq!(parsed(url), expected(Forge::GitHub, "https://api.github.com", "pull/pull"));
        let url = "https://gitlab.com/group/sub/project/-/merge_requests/12/diffs";
        let api = "https://gitlab.com/api/v4";
        assert_eq!(parsed(url), expected(Forge::GitLab, api, "group%2Fsub%2Fproject"));
    }

    #[test]
    fn rejects_addresses_of_other_pages() {
        for url in [
            "codeberg.org/o/r/pulls/12",
            "ftp://codeberg.org/o/r/pulls/12",
            "https://codeberg.org/o/r",
            "https://codeberg.org/o/r/pulls",
            "https://codeberg.org/o/r/pulls/",
            "https://codeberg.org/o/r/pulls/new",
            "https://codeberg.org/r/pulls/12",
            "https://codeberg.org/o//pulls/12",
            "https://gitlab.com/g/p/-/issues/12",
        ] {
            let failure = Target::in_url(url).unwrap_err();
            assert!(failure.code() == 2 && failure.to_string().contains("expected https://HOST"), "{url}");
        }
    }

    #[test]
    fn links_the_job_of_each_system() {
        let link = |given: &[(&str, &str)]| {
            job_url(&|name| given.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        let actions = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_SERVER_URL", "https://git.example.org/"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GITHUB_RUN_ID", "812"),
            ("GITHUB_RUN_NUMBER", "7"),
        ];
        assert_eq!(link(&actions).unwrap(), "https://git.example.org/o/r/actions/runs/812");
        for runner in ["GITEA_ACTIONS", "FORGEJO_ACTIONS"] {
            let given = [&actions[..], &[(runner, "true")]].concat();
            assert_eq!(link(&given).unwrap(), "https://git.example.org/o/r/actions/runs/7?by_index=1");
        }
        let gitlab =
            [("CI_PIPELINE_URL", "https://g.example.org/2"), ("CI_JOB_URL", "https://g.example.org/1")];
        assert_eq!(link(&gitlab).unwrap(), "https://g.example.org/1");
        assert_eq!(link(&gitlab[..1]).unwrap(), "https://g.example.org/2");
        assert_eq!(link(&[("BUILD_URL", "https://j.example.org/3")]).unwrap(), "https://j.example.org/3");
        assert_eq!(link(&[]), None);
    }
}
