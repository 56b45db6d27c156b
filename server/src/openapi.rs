//! The API document: made from the handlers, committed as `server/openapi.json`, and the source of the web client's
//! types.

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

/// Where the document is served.
pub(crate) const PATH: &str = "/api/v1/openapi.json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Roundtrip",
        description = "Continuous performance tracking for inter-process communication. Times are integers of \
            nanoseconds, sizes integers of bytes. Every error is `application/problem+json` (RFC 9457). Public projects \
            are read by anyone; what one must not know of does not exist. Requests by session that change something \
            need the header `x-roundtrip-csrf: 1` and come from pages of this server.",
    ),
    modifiers(&Schemes),
    components(schemas(Problem)),
    tags(
        (name = "accounts", description = "People, what they are in projects, and what they changed"),
        (name = "channels", description = "To whom a project tells what happens"),
        (name = "charts", description = "What charts are drawn of, in few bytes"),
        (name = "commits", description = "What was measured, and how it hangs together"),
        (name = "github", description = "What GitHub tells this server"),
        (name = "health", description = "Whether the server lives and can serve"),
        (name = "ingest", description = "Uploads"),
        (name = "jobs", description = "What is to be measured, and when"),
        (name = "lab", description = "Agents: how they are let in, and how they are given work"),
        (name = "links", description = "Short links to pages"),
        (name = "machines", description = "Hosts with an agent"),
        (name = "points", description = "One run's result in one series"),
        (name = "projects", description = "Repositories whose commits are charted"),
        (name = "published", description = "What others have measured and published"),
        (name = "regressions", description = "Changes that one cause explains, and what people say of them"),
        (name = "runs", description = "What was uploaded"),
        (name = "series", description = "One case, measured one way, on one machine, over commits"),
        (name = "session", description = "Who asks; signing in and out"),
        (name = "verdicts", description = "How changes are found, and how often that is wrong"),
        (name = "tokens", description = "What lets agents, jobs and scripts in"),
    ),
)]
struct Head;

struct Schemes;

/// The names of the ways to prove who asks.
const TOKEN: &str = "token";
const SESSION: &str = "session";

impl Modify for Schemes {
    fn modify(&self, document: &mut Document) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token of a user, an agent or CI"))
            .build();
        let cookie = ApiKeyValue::with_description(SESSION_COOKIE, "What signing in sets");
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

/// What any operation may answer that this applies to.
struct Refusal {
    /// Or `default`: any that is not listed.
    status: &'static str,
    name: &'static str,
    description: &'static str,
    applies: fn(&str, &[SecurityRequirement]) -> bool,
}

const REFUSALS: [Refusal; 5] = [
    Refusal {
        status: "401",
        name: "Unauthenticated",
        description: "`unauthenticated`: the token is not valid, or there is none and one is needed",
        applies: |_, security| security.iter().any(|way| *way != anyone()),
    },
    Refusal {
        status: "403",
        name: "Forbidden",
        description: "`forbidden`: whoever asks may not do this; `cross-site`: the session was used by another site",
        applies: |_, security| !security.contains(&anyone()),
    },
    Refusal {
        status: "404",
        name: "NotFound",
        description: "There is no such thing, or it is not to be known",
        applies: |path, _| is_of_api(path) && path.contains('{'),
    },
    Refusal {
        status: "429",
        name: "TooManyRequests",
        description: "`too-many-requests`: repeat after the time of the `retry-after` header",
        applies: |path, _| is_of_api(path),
    },
    Refusal { status: "default", name: "Problem", description: "A problem", applies: |_, _| true },
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

/// Says of every operation how it refuses, that this is a problem, and of those of the API what they take, where the handler
/// does not: a read takes nothing for public projects, and for private ones the right to read.
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

/// What a read takes.
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
    // The document holds only text, numbers and maps with text as keys: it always has a JSON form.
    let mut json = complete(routes).to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
}
