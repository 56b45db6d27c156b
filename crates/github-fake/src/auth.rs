//! Authentication and permissions. The responses match GitHub's, including the choice of 401, 403 or 404.

use crate::state::Shared;
use crate::world::{Repository, World};
use crate::{APP_PUBLIC_KEY, world};
use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::json;

/// Longest validity of a JWT.
const JWT_SECONDS_MAX: i64 = 600;
/// Allowed clock difference.
const SKEW_SECONDS: i64 = 60;

#[derive(Deserialize)]
struct Claims {
    iss: serde_json::Value,
    iat: i64,
    exp: i64,
}

/// An error response in GitHub's format.
pub(crate) fn problem(status: StatusCode, message: &str) -> Response {
    let body = json!({
        "message": message, "documentation_url": "https://docs.github.com/rest", "status": status.as_u16().to_string(),
    });
    (status, Json(body)).into_response()
}

pub(crate) fn not_found() -> Response {
    problem(StatusCode::NOT_FOUND, "Not Found")
}

pub(crate) fn bearer(headers: &HeaderMap) -> &str {
    let text = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.strip_prefix("Bearer ").or_else(|| text.strip_prefix("token ")).unwrap_or_default()
}

/// Checks that the request has a valid JWT of the App.
pub(crate) fn app(shared: &Shared, headers: &HeaderMap) -> Result<(), Response> {
    let refuse = |message: &str| Err(problem(StatusCode::UNAUTHORIZED, message));
    let mut validation = Validation::new(Algorithm::RS256);
    // The fake has its own clock, so the expiry is checked below.
    validation.validate_exp = false;
    validation.required_spec_claims.clear();
    let key = DecodingKey::from_rsa_pem(APP_PUBLIC_KEY.as_bytes()).unwrap();
    let Ok(token) = jsonwebtoken::decode::<Claims>(bearer(headers), &key, &validation) else {
        return refuse("A JSON web token could not be decoded");
    };
    let (claims, now) = (token.claims, shared.now().timestamp());
    let issuer = claims.iss.as_str().map_or_else(|| claims.iss.to_string(), str::to_owned);
    if issuer != shared.settings.app_id.to_string() {
        return refuse("'Issuer' claim ('iss') must be an Integer");
    }
    if claims.iat > now + SKEW_SECONDS {
        return refuse(
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        );
    }
    if claims.exp <= now {
        return refuse(
            "'Expiration time' claim ('exp') must be a numeric value representing the future time",
        );
    }
    if claims.exp > now + JWT_SECONDS_MAX {
        return refuse("'Expiration time' claim ('exp') is too far in the future");
    }
    Ok(())
}

/// Returns the installation token of a request.
pub(crate) fn token(world: &World, bearer: &str, now: DateTime<Utc>) -> Result<world::Token, Response> {
    let token = world.tokens.get(bearer).filter(|token| now < token.expires_at);
    let token = token.ok_or_else(|| problem(StatusCode::UNAUTHORIZED, "Bad credentials"))?;
    match world.installations.get(&token.installation) {
        None => Err(problem(StatusCode::UNAUTHORIZED, "Bad credentials")),
        Some(installation) if installation.suspended => {
            Err(problem(StatusCode::FORBIDDEN, "This installation has been suspended"))
        }
        Some(_) => Ok(token.clone()),
    }
}

/// Returns a repository if the token has this permission, such as `("checks", "write")`.
pub(crate) fn repository<'a>(
    world: &'a mut World,
    bearer: &str,
    now: DateTime<Utc>,
    full_name: &str,
    permission: (&str, &str),
) -> Result<&'a mut Repository, Response> {
    let token = token(world, bearer, now)?;
    let repository = world.repositories.get_mut(full_name).ok_or_else(not_found)?;
    let covers = repository.installation == Some(token.installation)
        && token.repository_ids.as_ref().is_none_or(|ids| ids.contains(&repository.id));
    if !covers {
        // A repository outside the token's scope is reported as missing; a public one can only be read.
        let sees = !repository.private && permission.1 == "read";
        return if sees { Ok(repository) } else { Err(not_found()) };
    }
    let has = token.permissions.get(permission.0).map(String::as_str);
    let enough = has == Some("write") || (permission.1 == "read" && has == Some("read"));
    if !enough {
        return Err(problem(StatusCode::FORBIDDEN, "Resource not accessible by integration"));
    }
    Ok(repository)
}
