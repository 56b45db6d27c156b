//! [`Paged`]: the pagination of all lists in the API. A request has a `limit` and, for the next page, `after` with
//! the `next_after` of the previous response, which is null at the end. Pages begin at a key in an index. So all
//! pages cost the same, and insertions neither repeat nor skip entries.

use super::parameters::{parse, within};
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::ser::{Serialize, Serializer};
use std::fmt::{Display, Formatter};
use std::str::FromStr;

const ENTRIES_MAX: i64 = 1_000;
const ENTRIES_DEFAULT: i64 = 100;

/// The query of a list: filters `Q`, and the page after the key `T`.
#[derive(Debug)]
pub(crate) struct Paged<Q, T> {
    pub query: Q,
    pub limit: i64,
    pub after: Option<T>,
}

/// The requested page.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    /// The maximum number of entries.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<i64>,
    /// Where to continue: `next_after` of the previous answer.
    pub after: Option<String>,
}

/// No filters: the list of all entries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoFilter {}

impl<Q, T> Paged<Q, T> {
    /// The limit for the query: one more row than requested shows whether there is a next page.
    pub(crate) fn row_limit(&self) -> i64 {
        self.limit + 1
    }

    /// The rows of this page, and the cursor of the next page if there is one.
    pub(crate) fn cut<R>(&self, mut rows: Vec<R>, place: impl Fn(&R) -> T) -> (Vec<R>, Option<Cursor<T>>) {
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
                ApiError::parameter("after", "invalid cursor: expected `next_after` from the previous answer")
            })?),
        };
        Ok(Self { query: parse(&others.join("&"))?, limit, after: after.map(|Cursor(place)| place) })
    }
}

/// The key of the last entry of a page, used to request the next one. It is opaque to clients, so its content can
/// change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor<T>(pub T);

impl<T: FromStr> Cursor<T> {
    /// Parses a cursor; `None` for an invalid text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let place = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        // Keys have no control characters, and the database does not accept all of them.
        if place.contains(char::is_control) { None } else { place.parse().ok().map(Self) }
    }
}

impl<T: Display> Serialize for Cursor<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.0.to_string()))
    }
}

/// A key of a number and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub number: i64,
    pub text: String,
}

impl Display for Place {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}", self.number, self.text)
    }
}

impl FromStr for Place {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, text) = text.split_once(' ').unwrap_or((text, ""));
        Ok(Self { number: number.parse()?, text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips() {
        let cursor = Cursor("lab-1 roundtrip ä".to_owned());
        let text = serde_json::to_value(&cursor).unwrap();
        assert_eq!(Cursor::parse(text.as_str().unwrap()), Some(cursor));
    }

    #[test]
    fn rejects_invalid_cursors() {
        for text in ["%", "a", &URL_SAFE_NO_PAD.encode(b"\xff"), &URL_SAFE_NO_PAD.encode("a\0")] {
            assert_eq!(Cursor::<String>::parse(text), None, "{text}");
        }
        assert_eq!(Cursor::<i64>::parse(&URL_SAFE_NO_PAD.encode("x")), None);
    }
}
