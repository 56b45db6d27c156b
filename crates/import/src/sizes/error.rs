//! Why a file is no size profile. A message has a bounded length, whatever the input.

use super::SizeFormat;
use crate::Place;

/// Why a file is no size profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Larger than is read, or not text.
    #[error(transparent)]
    File(#[from] crate::Error),
    /// The content is certainly of no known format.
    #[error("not recognised: expected message sizes in one of {}", SizeFormat::list())]
    NotRecognised,
    /// No format has this name.
    #[error("`{slug}` is no format of sizes: expected one of {}", SizeFormat::list())]
    UnknownFormat {
        /// The beginning of what was given.
        slug: String,
    },
    /// The content is not what its format asks for.
    #[error("{format}: {place}{}{problem}", if place.is_known() { ": " } else { "" })]
    Invalid {
        /// In which format it was read.
        format: SizeFormat,
        /// Where.
        place: Place,
        /// What was expected, and what was found.
        problem: String,
    },
}
