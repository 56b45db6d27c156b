//! `roundtrip comment`: posts a Markdown summary as one comment of a pull or merge request, and updates it later.
//!
//! - [`target`]: the request and the token, from the arguments or the CI job.
//! - [`body`]: the text of the comment, within the forge's limit.

mod body;
mod target;

use crate::cli::CommentArguments;
use crate::failure::Failure;
use crate::{ci, http, input, output};
use body::MARKER;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use target::{Forge, Target};
use ureq::http::header::{LINK, LOCATION};
use ureq::http::{Method, Response};
use ureq::{Body, RequestBuilder};

/// The timeout of each request.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The size limit of a response. Gitea and Forgejo return all comments at once.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// A comment, as far as it is read. GitLab calls the user its author, and gives no address.
#[derive(Deserialize)]
struct Comment {
    id: u64,
    body: Option<String>,
    #[serde(alias = "author")]
    user: Option<User>,
    html_url: Option<String>,
}

/// GitHub, Gitea and Forgejo have `login`, GitLab has `username`, Gitea has both.
#[derive(Deserialize)]
struct User {
    login: Option<String>,
    username: Option<String>,
}

/// GitHub's answer to [`VIEWER`].
#[derive(Deserialize)]
struct Viewer {
    data: ViewerData,
}

#[derive(Deserialize)]
struct ViewerData {
    viewer: User,
}

/// A pull or merge request. GitHub, Gitea and Forgejo read it as an issue with the member `pull_request`.
#[derive(Deserialize)]
struct Request {
    #[serde(alias = "web_url")]
    html_url: String,
    pull_request: Option<Value>,
}

/// The name of the token's user. GitHub's REST API reports it to personal tokens only, not to those of jobs and Apps.
const VIEWER: &str = "{viewer{login}}";

/// The API of a forge, with the token.
struct Api<'a> {
    target: &'a Target,
    token: &'a str,
    agent: ureq::Agent,
}

pub(crate) fn comment(arguments: &CommentArguments) -> crate::Result<()> {
    let (name, summary) = input::read(&arguments.summary)?;
    let summary = String::from_utf8_lossy(&summary);
    if summary.trim().is_empty() {
        return Err(Failure::Usage(format!(
            "{name} is empty: expected Markdown, such as from `roundtrip ab --summary FILE`"
        )));
    }
    let (target, token) = Target::find(arguments.url.as_deref(), &ci::variable)?;
    let text = body::compose(&summary, target::job_url(&ci::variable).as_deref(), target.forge);
    let api = Api { target: &target, token: &token, agent: http::agent(TIMEOUT) };
    output::print(&api.post_or_update(&text)?)
}

impl Api<'_> {
    /// Updates the comment that the token's user posted before, or posts the first one. Returns its address.
    fn post_or_update(&self, text: &str) -> crate::Result<String> {
        let user = self.user()?;
        let page = self.page_of_request()?;
        let (method, url) = match self.own_comment(&user)? {
            None => (Method::POST, self.comments()),
            Some(id) if self.target.forge == Forge::GitLab => {
                (Method::PUT, format!("{}/{id}", self.comments()))
            }
            Some(id) => (Method::PATCH, format!("{}/issues/comments/{id}", self.project())),
        };
        let Comment { id, html_url, .. } = parse(&url, self.send(method, &url, &json!({ "body": text }))?)?;
        Ok(html_url.unwrap_or_else(|| format!("{page}#note_{id}")))
    }

    /// The name of the token's user.
    fn user(&self) -> crate::Result<String> {
        let api = &self.target.api;
        let (url, user) = if self.target.forge == Forge::GitHub {
            let url = format!("{}/graphql", api.strip_suffix("/v3").unwrap_or(api));
            let response = self.send(Method::POST, &url, &json!({ "query": VIEWER }))?;
            let Viewer { data } = parse(&url, response)?;
            (url, data.viewer)
        } else {
            let url = format!("{api}/user");
            let user: User = parse(&url, self.get(&url)?)?;
            (url, user)
        };
        user.login.or(user.username).ok_or_else(|| unexpected(&url, "no name of the token's user"))
    }

    /// The address of the request's page. Fails if there is no request with this number.
    fn page_of_request(&self) -> crate::Result<String> {
        let url = self.request();
        let Request { html_url, pull_request } = parse(&url, self.get(&url)?)?;
        if self.target.forge != Forge::GitLab && pull_request.is_none() {
            return Err(Failure::Usage(format!(
                "{html_url} is an issue, not a pull request: check the number"
            )));
        }
        Ok(html_url)
    }

    /// The oldest comment with the marker by this user. Comments of others are never changed.
    fn own_comment(&self, user: &str) -> crate::Result<Option<u64>> {
        let query = match self.target.forge {
            Forge::GitHub => "per_page=100",
            Forge::GitLab => "sort=asc&per_page=100",
            Forge::Gitea => "limit=50",
        };
        let mut page = 1_u32;
        loop {
            let url = format!("{}?{query}&page={page}", self.comments());
            let response = self.get(&url)?;
            let has_more = response
                .headers()
                .get_all(LINK)
                .iter()
                .any(|links| links.to_str().is_ok_and(|links| links.contains("rel=\"next\"")));
            let comments: Vec<Comment> = parse(&url, response)?;
            let own = comments.into_iter().find(|comment| comment.is_own(user));
            if own.is_some() || !has_more {
                return Ok(own.map(|comment| comment.id));
            }
            page += 1;
        }
    }

    fn project(&self) -> String {
        let Target { forge, api, project, .. } = self.target;
        let kind = if *forge == Forge::GitLab { "projects" } else { "repos" };
        format!("{api}/{kind}/{project}")
    }

    fn request(&self) -> String {
        let kind = if self.target.forge == Forge::GitLab { "merge_requests" } else { "issues" };
        format!("{}/{kind}/{}", self.project(), self.target.number)
    }

    fn comments(&self) -> String {
        let kind = if self.target.forge == Forge::GitLab { "notes" } else { "comments" };
        format!("{}/{kind}", self.request())
    }

    fn get(&self, url: &str) -> crate::Result<Response<Body>> {
        self.check(url, self.authorized(self.agent.get(url)).call())
    }

    fn send(&self, method: Method, url: &str, body: &Value) -> crate::Result<Response<Body>> {
        let request = match method {
            Method::PATCH => self.agent.patch(url),
            Method::PUT => self.agent.put(url),
            _ => self.agent.post(url),
        };
        let request = self.authorized(request).header("content-type", "application/json");
        self.check(url, request.send(body.to_string()))
    }

    /// All forges accept this header. A redirect is not followed: it would drop the token or the body.
    fn authorized<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        let request = request.config().max_redirects(0).max_redirects_will_error(false).build();
        request.header("authorization", format!("Bearer {}", self.token))
    }

    /// Names the cause of a failed request.
    fn check(&self, url: &str, answer: Result<Response<Body>, ureq::Error>) -> crate::Result<Response<Body>> {
        let mut response = answer.map_err(|error| http::unanswered(url, &error))?;
        let status = response.status().as_u16();
        if response.status().is_success() {
            return Ok(response);
        }
        let Target { forge, project, number, .. } = self.target;
        if response.status().is_redirection() {
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            return Err(Failure::Other(format!(
                "{url} redirects to {}: pass the new address of the {} with --url",
                location.unwrap_or("another address"),
                forge.request()
            )));
        }
        let message = message(&mut response);
        Err(match status {
            401 => Failure::Authentication(format!(
                "{url} rejects the token (401{message}). Check that it is complete, has not expired and \
                 belongs to this server."
            )),
            403 => Failure::Authentication(format!(
                "the token does not permit comments on {} {number} (403{message} at {url}). {}",
                forge.request(),
                forge.permissions()
            )),
            404 if url.starts_with(&self.project()) => Failure::Other(format!(
                "no {} {number} in the project {}, or the token cannot read it (404{message} at {url}). \
                 Check the address.",
                forge.request(),
                project.replace("%2F", "/")
            )),
            408 | 429 | 500.. => {
                Failure::Other(format!("{url} returned {status}{message}. Try again later."))
            }
            _ if message.is_empty() => {
                Failure::Other(format!("{url} returned {status}. Is it the API of {}?", forge.name()))
            }
            _ => Failure::Other(format!("{url} returned {status}{message}")),
        })
    }
}

impl Comment {
    fn is_own(&self, user: &str) -> bool {
        let name = self.user.as_ref().and_then(|user| user.login.as_deref().or(user.username.as_deref()));
        name == Some(user) && self.body.as_deref().is_some_and(|body| body.starts_with(MARKER))
    }
}

/// The forge's reason, to add after a status. GitLab nests it, or has an `error`.
fn message(response: &mut Response<Body>) -> String {
    let text = response.body_mut().read_to_string().unwrap_or_default();
    let Ok(Value::Object(members)) = serde_json::from_str(&text) else { return String::new() };
    let names = ["message", "error_description", "error"];
    match names.iter().find_map(|name| members.get(*name)) {
        Some(Value::String(text)) if text.is_empty() => String::new(),
        Some(Value::String(text)) => format!(": {text}"),
        Some(value) => format!(": {value}"),
        None => String::new(),
    }
}

fn parse<A: DeserializeOwned>(url: &str, mut response: Response<Body>) -> crate::Result<A> {
    let text = response.body_mut().with_config().limit(BYTES_MAX).read_to_string();
    let text = text.map_err(|error| http::unanswered(url, &error))?;
    serde_json::from_str(&text).map_err(|error| unexpected(url, &error.to_string()))
}

fn unexpected(url: &str, what: &str) -> Failure {
    Failure::Other(format!("unexpected response from {url}: {what}"))
}
