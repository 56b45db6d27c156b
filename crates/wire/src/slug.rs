//! [`Slug`]: the parsed identifier of transports, scenarios, modes, placements, projects and machines.

use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// The longest slug, in bytes.
pub const SLUG_BYTES_MAX: usize = 64;

/// A lower-case identifier: `a-z`, `0-9` and single hyphens between them, 1 to 64 bytes, as in `ring-futex`.
///
/// ```
/// use roundtrip_wire::Slug;
/// assert_eq!(Slug::parse("ring-futex").unwrap().as_str(), "ring-futex");
/// assert!(Slug::parse("Ring Futex").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$", min_length = 1, max_length = 64, example = "ring-futex")]
pub struct Slug(String);

/// Why a text is not a [`Slug`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a slug: expected 1 to {SLUG_BYTES_MAX} characters of a-z, 0-9 and single hyphens between them"
)]
pub struct InvalidSlug {
    /// The beginning of the text.
    pub text: String,
}

impl Slug {
    /// Parses a slug.
    ///
    /// # Errors
    /// [`InvalidSlug`] for an invalid character, length or position of a hyphen.
    pub fn parse(text: &str) -> Result<Self, InvalidSlug> {
        let well_formed = (1..=SLUG_BYTES_MAX).contains(&text.len())
            && text.split('-').all(|part| {
                !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            });
        if well_formed {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSlug { text: text.chars().take(SLUG_BYTES_MAX).collect() })
        }
    }

    /// Makes a slug from any name: replaces other characters by hyphens, converts to lower case, and truncates.
    /// A name without any valid character becomes `unnamed`.
    ///
    /// ```
    /// # use roundtrip_wire::Slug;
    /// assert_eq!(Slug::from_name("Lab Mac_2.local").as_str(), "lab-mac-2-local");
    /// ```
    pub fn from_name(name: &str) -> Self {
        let mut slug = String::new();
        for character in name.chars().map(|c| c.to_ascii_lowercase()) {
            if character.is_ascii_lowercase() || character.is_ascii_digit() {
                slug.push(character);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        slug.truncate(SLUG_BYTES_MAX);
        let slug = slug.trim_end_matches('-');
        Self(if slug.is_empty() { "unnamed".to_owned() } else { slug.to_owned() })
    }

    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Slug {
    type Error = InvalidSlug;

    fn try_from(text: String) -> Result<Self, InvalidSlug> {
        Self::parse(&text)
    }
}

impl std::str::FromStr for Slug {
    type Err = InvalidSlug;

    fn from_str(text: &str) -> Result<Self, InvalidSlug> {
        Self::parse(text)
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
