//! Arguments of `roundtrip advise` and of `roundtrip sizes`.

use super::Format;
use crate::format_name::SizeFormatName;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use roundtrip_wire::Slug;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// A size profile of the suite; the beginning of its name is enough.
    #[arg(long, value_name = "NAME", conflicts_with = "sizes", required_unless_present = "sizes")]
    pub(crate) profile: Option<String>,
    /// Sizes, and how many messages have them: 12-15:4387,64:3
    #[arg(long, value_name = "SIZES")]
    pub(crate) sizes: Option<String>,
    /// The server that knows what was measured.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) server: String,
    /// File with a token, where strangers may not read; `-` reads it from standard input.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// The project's name [default: from roundtrip.toml, else the repository's].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
    /// On this machine alone.
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<Slug>,
    /// With the ends here alone: same-cpu, cross-cpu or free.
    #[arg(long, value_name = "PLACEMENT")]
    pub(crate) placement: Option<Slug>,
    /// With the ends so alone: 2proc or 2thread.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Slug>,
    /// What transports are ranked by.
    #[arg(long, value_enum)]
    pub(crate) by: Option<Figure>,
    /// So many messages a second: tells processors and wake-ups a second.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rate: Option<f64>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// What transports are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// The expected time of a message.
    Mean,
    /// Half of the messages take no longer.
    P50,
    /// 98 % of them take no longer.
    P98,
    /// 99 % of them take no longer.
    P99,
}

#[derive(Debug, Args)]
pub(crate) struct SizesArguments {
    /// The file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Its format; `auto` is the one that its content shows.
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = size_formats())]
    pub(crate) from: SizeFormatName,
    /// What to print.
    #[arg(long, value_enum, default_value_t = SizesFormat::Human)]
    pub(crate) format: SizesFormat,
}

fn size_formats() -> impl TypedValueParser<Value = SizeFormatName> {
    PossibleValuesParser::new(SizeFormatName::names()).try_map(|name| name.parse::<SizeFormatName>())
}

/// What to print of message sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizesFormat {
    /// A table for people.
    Human,
    /// For programs.
    Json,
    /// One line, such as 12-15:4387,64:3.
    Text,
}
