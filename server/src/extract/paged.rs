//! [`Paged`]: lists, page by page, in one way over the whole API. A request says `limit` and, for what follows an answer,
//! `after` with the `next_after` of that answer, which is null at the end. What a page begins with is looked up in an
//! index, so that the last page costs what the first does, and nothing comes twice or not at all because something was
//! added meanwhile.

use super::parameters::{parse, within};
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::ser::{Serialize, Serializer};
use std::fmt::Display;
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
        let page: Page = parse(&of_page.join("&"))?;
        let limit = within("limit", page.limit.unwrap_or(ENTRIES_DEFAULT), 1..=ENTRIES_MAX)?;
        let after = match page.after {
            None => None,
            Some(text) => Some(Cursor::parse(&text).ok_or_else(|| {
                ApiError::parameter("after", "no place in this list: expected `next_after` of an answer")
            })?),
        };
        Ok(Self { query: parse(&others.join("&"))?, limit, after: after.map(|Cursor(place)| place) })
    }
}

/// The place of the last entry of an answer: what follows it is asked for with it. Clients pass it on as it is, so that
/// what it holds can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<T>(pub T);

impl<T: FromStr> Cursor<T> {
    /// What was once written; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let place = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        // No place has a control character, and the database would not take all of them.
        if place.contains(char::is_control) { None } else { place.parse().ok().map(Self) }
    }
}

impl<T: Display> Serialize for Cursor<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.0.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor("lab-1 roundtrip ä".to_owned());
        let text = serde_json::to_value(&cursor).unwrap();
        assert_eq!(Cursor::parse(text.as_str().unwrap()), Some(cursor));
    }

    #[test]
    fn what_was_never_written_is_no_cursor() {
        for text in ["%", "a", &URL_SAFE_NO_PAD.encode(b"\xff"), &URL_SAFE_NO_PAD.encode("a\0")] {
            assert_eq!(Cursor::<String>::parse(text), None, "{text}");
        }
        assert_eq!(Cursor::<i64>::parse(&URL_SAFE_NO_PAD.encode("x")), None);
    }
}
