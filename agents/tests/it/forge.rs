//! Strict fakes of the APIs of GitHub, GitLab, and Gitea (and Forgejo, which is equal here), for comments on a request.

use crate::server::{Request, header, send};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

pub(crate) const TOKEN: &str = "secret-token";
/// The user of the token.
pub(crate) const USER: &str = "roundtrip-bot";
/// The only request.
pub(crate) const NUMBER: u64 = 12;
/// An issue, which is not a pull request.
const ISSUE: u64 = 13;
/// The id of GitLab's project.
pub(crate) const PROJECT_ID: &str = "77";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    GitHub,
    GitLab,
    Gitea,
}

pub(crate) const KINDS: [Kind; 3] = [Kind::GitHub, Kind::GitLab, Kind::Gitea];

pub(crate) struct Comment {
    id: u64,
    user: &'static str,
    body: String,
}

/// A forge with one request and its comments.
pub(crate) struct State {
    kind: Kind,
    url: String,
    comments: Vec<Comment>,
    /// The response to requests that change something.
    pub(crate) denied: Option<(u16, Value)>,
    /// The response to all requests: status, header and body.
    pub(crate) broken: Option<(u16, String, String)>,
    /// The methods and paths of all requests.
    pub(crate) log: Vec<String>,
}

/// Status, further headers, body.
type Answer = (u16, String, Value);

pub(crate) struct Forge {
    pub(crate) kind: Kind,
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

impl Kind {
    /// The path of the API.
    pub(crate) fn api(self) -> &'static str {
        match self {
            Self::GitHub => "/api/v3",
            Self::GitLab => "/api/v4",
            Self::Gitea => "/api/v1",
        }
    }

    /// The path of the request's page.
    pub(crate) fn page(self) -> &'static str {
        match self {
            Self::GitHub => "/octo/lib/pull/12",
            Self::GitLab => "/octo/group/lib/-/merge_requests/12",
            Self::Gitea => "/octo/lib/pulls/12",
        }
    }

    /// The size limit of a comment in characters, with the error beyond it.
    fn limit(self) -> Option<(usize, Answer)> {
        match self {
            Self::GitHub => Some((
                65_536,
                failure(422, "Validation Failed: body is too long (maximum is 65536 characters)"),
            )),
            Self::GitLab => Some((
                1_000_000,
                failure(400, "400 Bad request - Note is too long (maximum is 1000000 characters)"),
            )),
            Self::Gitea => None,
        }
    }
}

fn failure(status: u16, message: &str) -> Answer {
    (status, String::new(), json!({ "message": message }))
}

impl State {
    fn respond(&mut self, request: &Request) -> Answer {
        let method = request.head.split(' ').next().unwrap();
        self.log.push(format!("{method} {}", request.path()));
        if header(&request.head, "user-agent").is_empty()
            || header(&request.head, "authorization") != format!("Bearer {TOKEN}")
        {
            return failure(401, "Bad credentials");
        }
        let (path, query) = request.path().split_once('?').unwrap_or((request.path(), ""));
        let owner = "/repos/octo/lib";
        let (number, comments, changed) = match self.kind {
            Kind::GitHub | Kind::Gitea => {
                (format!("{owner}/issues/"), "/comments", format!("{owner}/issues/comments/"))
            }
            Kind::GitLab => {
                let names = ["octo%2Fgroup%2Flib", PROJECT_ID];
                let name = names.into_iter().find(|name| path.contains(&format!("/projects/{name}/")));
                let request = format!("/projects/{}/merge_requests/", name.unwrap_or(PROJECT_ID));
                (request.clone(), "/notes", format!("{request}{NUMBER}/notes/"))
            }
        };
        if (self.kind, method, path) == (Kind::GitHub, "POST", "/api/graphql") {
            assert_eq!(body(request), json!({"query": "{viewer{login}}"}));
            return (200, String::new(), json!({"data": {"viewer": {"login": USER}}}));
        }
        let Some(path) = path.strip_prefix(self.kind.api()) else { return failure(404, "Not Found") };
        let list = format!("{number}{NUMBER}{comments}");
        match method {
            "GET" if path == "/user" && self.kind == Kind::GitHub => {
                failure(403, "Resource not accessible by integration")
            }
            "GET" if path == "/user" => (200, String::new(), self.user(USER)),
            "GET" if path == list => self.list(query),
            "GET" if path == format!("{number}{NUMBER}") => (200, String::new(), self.request(true)),
            "GET" if path == format!("{number}{ISSUE}") && self.kind != Kind::GitLab => {
                (200, String::new(), self.request(false))
            }
            "POST" if path == list => self.write(request, None),
            "PUT" | "PATCH"
                if path.starts_with(&changed) && (method == "PUT") == (self.kind == Kind::GitLab) =>
            {
                self.write(request, path[changed.len()..].parse().ok())
            }
            _ => failure(404, "Not Found"),
        }
    }

    fn user(&self, name: &str) -> Value {
        match self.kind {
            Kind::GitHub => json!({"login": name, "id": 1}),
            Kind::GitLab => json!({"username": name, "id": 1, "name": "A bot"}),
            Kind::Gitea => json!({"login": name, "username": name, "id": -2}),
        }
    }

    fn request(&self, is_pull: bool) -> Value {
        let page = format!("{}{}", self.url, self.kind.page());
        match self.kind {
            Kind::GitLab => json!({"id": 912, "iid": NUMBER, "web_url": page}),
            _ if is_pull => json!({"id": 912, "html_url": page, "pull_request": {"merged": false}}),
            _ => {
                json!({"id": 913, "html_url": format!("{}/octo/lib/issues/13", self.url), "pull_request": null})
            }
        }
    }

    fn comment(&self, comment: &Comment) -> Value {
        let Comment { id, user, body } = comment;
        let user = self.user(user);
        let page = format!("{}{}#issuecomment-{id}", self.url, self.kind.page());
        match self.kind {
            Kind::GitLab => json!({"id": id, "body": body, "author": user, "system": false}),
            _ => {
                json!({"id": id, "body": body, "user": user, "html_url": page})
            }
        }
    }

    /// A page of the comments. Gitea returns all of them.
    fn list(&self, query: &str) -> Answer {
        let (mut page, mut size) = (1, if self.kind == Kind::GitHub { 30 } else { 20 });
        for (name, value) in query.split('&').filter_map(|part| part.split_once('=')) {
            match (self.kind, name) {
                (_, "page") => page = value.parse().unwrap(),
                (Kind::GitHub | Kind::GitLab, "per_page") => {
                    size = value.parse::<usize>().unwrap().clamp(1, 100);
                }
                (Kind::GitLab, "sort") => assert_eq!(value, "asc"),
                (Kind::Gitea, "limit") => {}
                _ => return failure(400, &format!("unknown parameter {name}")),
            }
        }
        if self.kind == Kind::Gitea {
            (page, size) = (1, usize::MAX);
        }
        let from = (page - 1) * size.min(self.comments.len() + 1);
        let shown: Vec<Value> =
            self.comments.iter().skip(from).take(size).map(|comment| self.comment(comment)).collect();
        let has_more = from + shown.len() < self.comments.len();
        let next = page + 1;
        // The address has the name of a proxy that this machine cannot reach.
        let link = |rel: &str, page: usize| format!("<https://git.example.org/?page={page}>; rel=\"{rel}\"");
        let headers = match (self.kind, has_more) {
            (Kind::Gitea, _) => format!("x-total-count: {}\r\n", self.comments.len()),
            (Kind::GitLab, true) => {
                format!("x-next-page: {next}\r\nlink: {}, {}\r\n", link("next", next), link("first", 1))
            }
            (Kind::GitLab, false) => format!("x-next-page: \r\nlink: {}\r\n", link("first", 1)),
            (Kind::GitHub, true) => format!("link: {}, {}\r\n", link("next", next), link("last", 9)),
            (Kind::GitHub, false) => String::new(),
        };
        (200, headers, Value::Array(shown))
    }

    fn write(&mut self, request: &Request, id: Option<u64>) -> Answer {
        if let Some((status, body)) = &self.denied {
            return (*status, String::new(), body.clone());
        }
        assert_eq!(header(&request.head, "content-type"), "application/json");
        let sent = body(request);
        let text = sent["body"].as_str().unwrap().to_owned();
        assert_eq!(sent, json!({ "body": text }), "unknown members");
        if let Some((limit, answer)) = self.kind.limit().filter(|(limit, _)| text.chars().count() > *limit) {
            return (answer.0, format!("x-limit: {limit}\r\n"), answer.2);
        }
        let Some(id) = id else {
            let comment = Comment { id: 9_000 + self.comments.len() as u64, user: USER, body: text };
            let answer = self.comment(&comment);
            self.comments.push(comment);
            return (201, String::new(), answer);
        };
        let Some(index) = self.comments.iter().position(|comment| comment.id == id) else {
            return failure(404, "Not Found");
        };
        self.comments[index].body = text;
        (200, String::new(), self.comment(&self.comments[index]))
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

impl Forge {
    pub(crate) fn start(kind: Kind) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State {
            kind,
            url: url.clone(),
            comments: Vec::new(),
            denied: None,
            broken: None,
            log: Vec::new(),
        };
        let forge = Self { kind, url, state: Arc::new(Mutex::new(state)) };
        let state = Arc::clone(&forge.state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let Some(request) = Request::read(&stream) else { continue };
                let mut state = state.lock().unwrap();
                let (status, headers, body) = match state.broken.clone() {
                    Some(broken) => broken,
                    None => {
                        let (status, headers, body) = state.respond(&request);
                        (status, headers, body.to_string())
                    }
                };
                send(&stream, &format!("{status} X"), &headers, body.as_bytes()).unwrap();
            }
        });
        forge
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn add(&self, id: u64, user: &'static str, body: &str) {
        self.state().comments.push(Comment { id, user, body: body.to_owned() });
    }

    /// The bodies of this user's comments.
    pub(crate) fn bodies(&self, user: &str) -> Vec<String> {
        let state = self.state();
        state
            .comments
            .iter()
            .filter(|comment| comment.user == user)
            .map(|comment| comment.body.clone())
            .collect()
    }
}
