//! `--format NAME` of files that other tools wrote: `auto` is the format that the file shows.

use roundtrip_import::Format;
use roundtrip_import::sizes::SizeFormat;
use std::str::FromStr;

/// A format by its name, or whichever the file shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FormatName(pub(crate) Option<Format>);

/// What stands for a format that the file shows.
const AUTO: &str = "auto";

impl FromStr for FormatName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(Self(None));
        }
        text.parse().map(|format| Self(Some(format))).map_err(|_| {
            format!(
                "no format is called `{text}`: expected one of {}",
                Self::names().collect::<Vec<_>>().join(", ")
            )
        })
    }
}

impl FormatName {
    /// Every name that there is.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        [AUTO].into_iter().chain(Format::all().iter().map(|format| format.slug()))
    }
}

/// A format by its name, or whichever the file shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SizeFormatName(pub(crate) Option<SizeFormat>);

impl FromStr for SizeFormatName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(Self(None));
        }
        text.parse()
            .map(|format| Self(Some(format)))
            .map_err(|error: roundtrip_import::sizes::Error| error.to_string())
    }
}

impl SizeFormatName {
    /// Every name that there is.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        [AUTO].into_iter().chain(SizeFormat::all().iter().map(|format| format.slug()))
    }
}
