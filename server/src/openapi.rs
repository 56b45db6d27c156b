//! The OpenAPI document, generated from the handlers and committed as `server/openapi.json`. The web client's types come
//! from it.

use crate::auth::SESSION_COOKIE;
use roundtrip_storage::access::Scope;
use roundtrip_wire::Problem;
use roundtrip_wire::problem::PROBLEM_MEDIA_TYPE;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{Content, Ref, RefOr, Response};
use utoipa::{Modify, OpenApi};

pub(crate) const PATH: &str = "/api/v1/openapi.json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Roundtrip",
        description = "Continuous performance tracking for inter-process communication. Times are integers in \
            nanoseconds, sizes integers in bytes. Errors are `application/problem+json` (RFC 9457). Public projects need no \
            authentication. Hidden projects are reported as not found. Changes with a session cookie need the header \
            `x-roundtrip-csrf: 1` and must come from pages of this server.",
    ),
    modifiers(&Schemes),
    components(schemas(Problem)),
    tags(
        (name = "accounts", description = "Accounts, members of projects, and the audit log"),
        (name = "channels", description = "Notification channels"),
        (name = "charts", description = "Compact data for charts"),
        (name = "commits", description = "Commits and their graph"),
        (name = "github", description = "GitHub deliveries and pull requests"),
        (name = "health", description = "Liveness and readiness"),
        (name = "ingest", description = "Uploads"),
        (name = "jobs", description = "Jobs and schedules"),
        (name = "lab", description = "Enrolment of agents, and their jobs"),
        (name = "links", description = "Short links to pages"),
        (name = "machines", description = "Hosts with an agent"),
        (name = "points", description = "One run's result in one series"),
        (name = "projects", description = "Projects and their settings"),
        (name = "published", description = "Published results of others"),
        (name = "regressions", description = "Regressions and their triage"),
        (name = "runs", description = "Uploaded runs"),
        (name = "series", description = "Results of one case and methodology on one machine, over commits"),
        (name = "session", description = "Sign-in and sign-out"),
        (name = "verdicts", description = "Change detection and its error rates"),
        (name = "tokens", description = "Tokens, and trusts for CI jobs"),
    ),
)]
struct Head;

struct Schemes;

/// The names of the security schemes.
const TOKEN: &str = "token";
const SESSION: &str = "session";

impl Modify for Schemes {
    fn modify(&self, document: &mut Document) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token of a user, an agent or CI"))
            .build();
        let cookie = ApiKeyValue::with_description(SESSION_COOKIE, "The session cookie");
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme(TOKEN, SecurityScheme::Http(bearer));
        components.add_security_scheme(SESSION, SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
        for (name, description) in REFUSALS.map(|refusal| (refusal.name, refusal.description)) {
            let mut response = Response::new(description);
            response.content.insert(PROBLEM_MEDIA_TYPE.to_owned(), problem().into());
            components.responses.insert(name.to_owned(), response.into());
        }
    }
}

/// An error response that several operations share.
struct Refusal {
    /// The status, or `default` for all others.
    status: &'static str,
    name: &'static str,
    description: &'static str,
    applies: fn(&str, &[SecurityRequirement]) -> bool,
}

const REFUSALS: [Refusal; 5] = [
    Refusal {
        status: "401",
        name: "Unauthenticated",
        description: "`unauthenticated`: the token is missing or invalid",
        applies: |_, security| security.iter().any(|way| *way != anyone()),
    },
    Refusal {
        status: "403",
        name: "Forbidden",
        description: "`forbidden`: no permission; `cross-site`: a request from another site",
        applies: |_, security| !security.contains(&anyone()),
    },
    Refusal {
        status: "404",
        name: "NotFound",
        description: "Not found, or hidden",
        applies: |path, _| is_of_api(path) && path.contains('{'),
    },
    Refusal {
        status: "429",
        name: "TooManyRequests",
        description: "`too-many-requests`: retry after the time in the `retry-after` header",
        applies: |path, _| is_of_api(path),
    },
    Refusal { status: "default", name: "Problem", description: "Any other error", applies: |_, _| true },
];

fn problem() -> Content {
    Content::new(Some(Ref::from_schema_name("Problem")))
}

fn is_of_api(path: &str) -> bool {
    path.starts_with("/api/")
}

fn anyone() -> SecurityRequirement {
    SecurityRequirement::default()
}

/// Adds error responses to every operation, and security requirements to API operations without their own. By
/// default, reads of public projects need no credentials, and reads of private ones need the permission to read.
fn complete(mut document: Document) -> Document {
    for (path, item) in &mut document.paths.paths {
        let operations = [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
        for operation in operations.into_iter().flatten() {
            for (status, response) in &mut operation.responses.responses {
                if let (true, RefOr::T(response)) = (!status.starts_with(['2', '3']), response) {
                    response.content.insert(PROBLEM_MEDIA_TYPE.to_owned(), problem().into());
                }
            }
            let security = operation.security.get_or_insert_with(|| security(path));
            for refusal in REFUSALS.iter().filter(|refusal| (refusal.applies)(path, security)) {
                let responses = &mut operation.responses.responses;
                let response = || Ref::from_response_name(refusal.name).into();
                responses.entry(refusal.status.to_owned()).or_insert_with(response);
            }
        }
    }
    document
}

/// The security requirement of a read.
fn security(path: &str) -> Vec<SecurityRequirement> {
    let mut ways = vec![anyone()];
    if is_of_api(path) {
        let session: [&str; 0] = [];
        ways.push(SecurityRequirement::new(TOKEN, [Scope::Read.as_ref()]));
        ways.push(SecurityRequirement::new(SESSION, session));
    }
    ways
}

/// The document without paths.
pub(crate) fn head() -> Document {
    Head::openapi()
}

/// The document of all routes as indented JSON with a final newline.
pub(crate) fn json(routes: Document) -> String {
    // The document has only strings, numbers and maps with string keys, so serialisation cannot fail.
    let mut json = complete(routes).to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
}
