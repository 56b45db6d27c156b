//! Arguments, and nothing else. Data goes to standard output, everything else to standard error.

use clap::{Args, Parser, Subcommand, ValueEnum};
use roundtrip_wire::Slug;
use std::path::PathBuf;

/// Measure how long messages between processes take, and track it commit by commit.
#[derive(Debug, Parser)]
#[command(name = "roundtrip", version, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a preset of the transport suite on this machine.
    #[command(after_help = "Examples:\n  \
        roundtrip run\n  \
        roundtrip run --format json > report.json\n  \
        roundtrip run --upload http://127.0.0.1:7979 --token-file agent.token\n\n\
        Exit codes: 0 done, 1 failure, 2 usage, 5 the server refuses the token, 6 measured and kept but not \
        uploaded, 8 cannot write.")]
    Run(RunArguments),
    /// Upload a report that `roundtrip run` wrote or kept.
    Upload(UploadArguments),
    /// One end of a measured channel; started by `run`.
    #[command(hide = true)]
    Peer,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// What to measure.
    #[arg(long, default_value = "quick", value_parser = clap::builder::PossibleValuesParser::new(roundtrip_bench::definition::names()))]
    pub(crate) preset: String,
    /// What to print: a table for people, or the whole report.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Also write the report to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Upload the report to this server.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) upload: Option<String>,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
    /// This machine's name in charts [default: its host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// The project's name [default: from roundtrip.toml, else the repository's].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
}

#[derive(Debug, Args)]
pub(crate) struct UploadArguments {
    /// The report.
    pub(crate) file: PathBuf,
    /// The server to upload it to.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) upload: String,
    #[command(flatten)]
    pub(crate) token: TokenArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TokenArguments {
    /// File with the token for uploads; `-` reads it from standard input.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table.
    Human,
    /// The report as it is uploaded.
    Json,
}
