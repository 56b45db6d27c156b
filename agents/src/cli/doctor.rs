//! Arguments of `doctor`, and of `list`.

use super::{Format, TokenArguments};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// What to print: text for people, or JSON for programs.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Examine this server in place of the machine: whether it is ready, and what a token is good for there.
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ListingArguments {
    /// What to print: text for people, or JSON for programs.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}
