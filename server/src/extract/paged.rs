//! [`Paged`]: lists, page by page, in one way over the whole API. A request says `limit` and, for what follows an answer,
//! `after` with the `next_after` of that answer, which is null at the end. What a page begins with is looked up in an
//! index, so that the last page costs what the first does, and nothing comes twice or not at all because something was
//! added meanwhile.

use super::{Cursor, query};
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::str::FromStr;

/// The most entries of one answer.
const ENTRIES_MAX: i64 = 1_000;
/// Entries of one answer unless asked otherwise.
const ENTRIES_DEFAULT: i64 = 100;

/// What a list is asked for: `Q` which entries, and which part of them, from the place `T` on.
#[derive(Debug)]
pub struct Paged<Q, T> {
    /// Which entries.
    pub query: Q,
    /// At most so many.
    pub limit: i64,
    /// Only what follows this place.
    pub after: Option<T>,
}

/// Which part of a list is wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// At most so many entries.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<i64>,
    /// Only those that follow: `next_after` of the answer before.
    pub after: Option<String>,
}

/// A list of everything there is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Everything {}

impl<Q, T> Paged<Q, T> {
    /// What to ask the database for: one row more than wanted tells whether others follow.
    pub fn row_limit(&self) -> i64 {
        self.limit + 1
    }

    /// The rows of this page, and where the next one begins if there is one.
    pub fn cut<R>(&self, mut rows: Vec<R>, place: impl Fn(&R) -> T) -> (Vec<R>, Option<Cursor<T>>) {
        let wanted = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > wanted;
        rows.truncate(wanted);
        let next_after = rows.last().filter(|_| has_more).map(|row| Cursor(place(row)));
        (rows, next_after)
    }
}

impl<Q, T, S> FromRequestParts<S> for Paged<Q, T>
where
    Q: DeserializeOwned,
    T: FromStr,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let is_of_page = |parameter: &&str| matches!(parameter.split('=').next(), Some("limit" | "after"));
        let parameters = parts.uri.query().unwrap_or_default().split('&');
        let (of_page, others): (Vec<_>, Vec<_>) = parameters.partition(is_of_page);
        let page: Page = query::parse(&of_page.join("&"))?;
        let limit = page.limit.unwrap_or(ENTRIES_DEFAULT);
        if !(1..=ENTRIES_MAX).contains(&limit) {
            return Err(ApiError::parameter("limit", format!("{limit} is not between 1 and {ENTRIES_MAX}")));
        }
        let after = match page.after {
            None => None,
            Some(text) => Some(Cursor::parse(&text).ok_or_else(|| {
                ApiError::parameter("after", "no place in this list: expected `next_after` of an answer")
            })?),
        };
        Ok(Self { query: query::parse(&others.join("&"))?, limit, after: after.map(|Cursor(place)| place) })
    }
}
