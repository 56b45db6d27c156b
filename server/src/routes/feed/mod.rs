//! What is new in a project as Atom feeds (RFC 4287), for feed readers and chat channels. [`runs`]: what was measured;
//! [`regressions`]: what became slower.
//!
//! Links are relative: a reader resolves them against the address that it has the feed from, which the server behind a
//! proxy does not know. Identities are not addresses, so that they stay when the server moves.

pub mod regressions;
pub mod runs;

use crate::error::ApiError;
use atom_syndication::{Entry, Feed, Generator, Link, Text};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// How many entries a feed has.
const ENTRIES: i64 = 50;
const MEDIA_TYPE: &str = "application/atom+xml";

/// What a feed is, beside its entries.
struct Head<'a> {
    /// What it is told by, with those of its entries: see [`identity`].
    id: Uuid,
    title: String,
    /// Its own address, and that of the page that shows the same.
    own: &'a str,
    page: &'a str,
    /// When it began: it was updated then, as long as it has no entries.
    created_at: DateTime<Utc>,
}

fn answer(head: Head<'_>, entries: Vec<Entry>) -> Result<Response, ApiError> {
    let updated = entries.iter().map(|entry| entry.updated).max();
    let feed = Feed {
        id: head.id.urn().to_string(),
        title: Text::plain(head.title),
        updated: updated.unwrap_or_else(|| head.created_at.fixed_offset()),
        links: vec![link("self", head.own.to_owned(), MEDIA_TYPE), page(head.page.to_owned())],
        generator: Some(Generator {
            value: "Roundtrip".into(),
            uri: None,
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
        entries,
        ..Feed::default()
    };
    let document = feed.write_to(Vec::new()).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, MEDIA_TYPE)], document).into_response())
}

/// The same for as long as the project is, and another one for a project of that name on another server.
fn identity(what: &str, created_at: DateTime<Utc>) -> Uuid {
    let hash = Sha256::digest(format!("{what} {}", created_at.timestamp_micros()));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

/// The page that shows what a feed or an entry tells of.
fn page(href: String) -> Link {
    link("alternate", href, "text/html")
}

fn link(relation: &str, href: String, media_type: &str) -> Link {
    Link { rel: relation.into(), href, mime_type: Some(media_type.into()), ..Link::default() }
}

fn counted(count: i64, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// What XML can hold of a text: no control characters.
fn text(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}'))
        .collect::<String>()
        .trim()
        .to_owned()
}
