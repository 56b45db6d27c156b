//! [`Accept`]: the preferred response format, JSON or CSV.

use axum::extract::FromRequestParts;
use axum::http::{header, request::Parts};
use serde::Deserialize;
use std::convert::Infallible;
use utoipa::ToSchema;

/// The format of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// `application/json`.
    Json,
    /// `text/csv`, RFC 4180.
    Csv,
}

/// The preferred format of the header `accept`: CSV only if requested explicitly, otherwise JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accept(pub Format);

impl<S: Send + Sync> FromRequestParts<S> for Accept {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let values = parts.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        Ok(Self(preferred(&values.collect::<Vec<_>>().join(","))))
    }
}

fn preferred(accept: &str) -> Format {
    if quality(accept, "text", "csv") > quality(accept, "application", "json") {
        Format::Csv
    } else {
        Format::Json
    }
}

/// The quality of a media type, from 0 to 1: that of the most specific matching range (RFC 9110, section 12.5.1).
fn quality(accept: &str, kind: &str, subtype: &str) -> f32 {
    let mut found = (0, 0.0);
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let Some((range_kind, range_subtype)) = parts.next().and_then(|range| range.split_once('/')) else {
            continue;
        };
        let is = |part: &str, name: &str| part.eq_ignore_ascii_case(name);
        let specific = match (is(range_kind, kind), is(range_subtype, subtype)) {
            (true, true) => 3,
            (true, false) if range_subtype == "*" => 2,
            _ if range_kind == "*" && range_subtype == "*" => 1,
            _ => continue,
        };
        let stated = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = stated.map_or(1.0, |text| text.parse().unwrap_or(0.0));
        if specific > found.0 {
            found = (specific, quality);
        }
    }
    found.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_csv_only_if_preferred() {
        for (accept, format) in [
            ("", Format::Json),
            ("*/*", Format::Json),
            ("text/csv", Format::Csv),
            ("Text/CSV; charset=utf-8", Format::Csv),
            ("text/csv, */*;q=0.1", Format::Csv),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Format::Json),
            ("text/csv;q=0.5, application/json", Format::Json),
            ("application/json;q=0.4, text/*;q=0.5", Format::Csv),
            ("text/csv;q=0, text/*", Format::Json),
            ("text/csv;q=nonsense", Format::Json),
            ("text/csv;header=present;q=0.9, application/*;q=0.8", Format::Csv),
            ("nonsense", Format::Json),
        ] {
            assert_eq!(preferred(accept), format, "{accept}");
        }
    }
}
