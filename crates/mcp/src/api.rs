//! The REST API of a server, as the tools use it.

use async_trait::async_trait;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use roundtrip_wire::Problem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b':').remove(b',');
const UNKNOWN_PROJECT: &str = "unknown-project";
/// More names do not help an agent that guessed one.
const NAMED_PROJECTS_MAX: usize = 50;

/// Sends requests with the permissions of the caller.
#[async_trait]
pub trait Api: Send + Sync {
    /// The address of the web interface, without a final slash, for links.
    fn address(&self) -> &str;

    /// Sends a request to a path that follows `/api/v1/`: a POST with this body, or a GET without one.
    ///
    /// # Errors
    /// The server rejects the request, or does not answer.
    async fn send(&self, path: &str, body: Option<Value>) -> Result<Value, Refused>;
}

/// Why a call failed: a stable code, and a text that says what to do.
#[derive(Clone, Debug)]
pub struct Refused {
    code: String,
    detail: String,
}

impl Refused {
    /// A failure with this code.
    pub fn new(code: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code: code.into(), detail: detail.into() }
    }

    /// The server's answer is not what this version expects.
    pub fn unexpected(error: impl fmt::Display) -> Self {
        Self::new(
            "unexpected-answer",
            format!("{error}. Do the versions of the server and this program match?"),
        )
    }
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        let at = problem.pointer.map(|pointer| format!(" at {pointer}")).unwrap_or_default();
        Self::new(problem.code, format!("{}{at}", problem.detail))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.detail)
    }
}

/// A project of the server.
pub(crate) struct Project<'a> {
    api: &'a dyn Api,
    name: String,
}

#[derive(Deserialize)]
struct ProjectList {
    projects: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    project: String,
}

impl<'a> Project<'a> {
    /// The named project, or the only one that the caller can read.
    pub(crate) async fn find(api: &'a dyn Api, named: Option<String>) -> Result<Self, Refused> {
        let Some(name) = named else {
            return match &mut names(api).await?[..] {
                [only] => Ok(Self { api, name: std::mem::take(only) }),
                names => Err(Refused::new("project-needed", format!("pass `project`. {}", listed(names)))),
            };
        };
        match api.send(&format!("projects/{}", escaped(&name)), None).await {
            Ok(_) => Ok(Self { api, name }),
            Err(Refused { code, detail }) if code == UNKNOWN_PROJECT => {
                Err(Refused::new(code, format!("{detail}. {}", listed(&names(api).await?))))
            }
            Err(refused) => Err(refused),
        }
    }

    /// Reads a path below the project's own.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str, query: Query) -> Result<T, Refused> {
        self.read(&format!("projects/{}/{path}", escaped(&self.name)), query).await
    }

    /// Reads a path below `/api/v1/`.
    pub(crate) async fn read<T: DeserializeOwned>(&self, path: &str, query: Query) -> Result<T, Refused> {
        parse(self.api.send(&format!("{path}{query}"), None).await?)
    }

    /// Sends a body to a path below the project's own.
    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str, body: Value) -> Result<T, Refused> {
        parse(self.api.send(&format!("projects/{}/{path}", escaped(&self.name)), Some(body)).await?)
    }

    /// The address of a page of the project.
    pub(crate) fn link(&self, page: &str, query: Query) -> String {
        format!("{}/{}/{page}{query}", self.api.address(), self.name)
    }
}

/// The projects that the caller can read.
async fn names(api: &dyn Api) -> Result<Vec<String>, Refused> {
    let ProjectList { projects } = parse(api.send("projects?limit=1000", None).await?)?;
    Ok(projects.into_iter().map(|Named { project }| project).collect())
}

fn listed(names: &[String]) -> String {
    let names = &names[..names.len().min(NAMED_PROJECTS_MAX)];
    format!("Projects that you can read: {}", if names.is_empty() { "none".into() } else { names.join(", ") })
}

fn parse<T: DeserializeOwned>(answer: Value) -> Result<T, Refused> {
    serde_json::from_value(answer).map_err(Refused::unexpected)
}

pub(crate) fn escaped(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, ESCAPED)
}

/// The query of an address, with the parameters that have a value.
#[derive(Default)]
pub(crate) struct Query(String);

impl Query {
    pub(crate) fn with(mut self, name: &str, value: Option<impl fmt::Display>) -> Self {
        if let Some(value) = value {
            let separator = if self.0.is_empty() { '?' } else { '&' };
            self.0.push_str(&format!("{separator}{name}={}", escaped(&value.to_string())));
        }
        self
    }
}

impl fmt::Display for Query {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_values_and_leaves_out_absent_ones() {
        let query =
            Query::default().with("q", Some("64 B&x")).with("machine", None::<&str>).with("limit", Some(7));
        assert_eq!(query.to_string(), "?q=64%20B%26x&limit=7");
    }
}
