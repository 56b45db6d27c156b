//! Arguments of `roundtrip project` and `roundtrip job`: what users of a remote lab need of `roundtrip-server`.

use super::Format;
use clap::{Args, Subcommand};
use roundtrip_wire::Slug;
use std::path::PathBuf;

/// A server, and how to print its answer.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// Server of the lab.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER", default_value = "http://127.0.0.1:7979")]
    pub(crate) server: String,
    /// Token file; `-` is standard input. To read a public project, leave it out.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Create a project before its first run; needs a token with scope admin.
    #[command(after_help = "Example:\n  \
        roundtrip project create libfoo --repository https://git.example.org/libfoo.git --server https://roundtrip.example.org --token-file my.token")]
    Create {
        /// Name of the project.
        name: Slug,
        /// Address from which agents fetch commits, without a password.
        #[arg(long, value_name = "URL")]
        repository: Option<String>,
        /// Branch whose runs form the trend [default: from the first run].
        #[arg(long, value_name = "BRANCH")]
        default_branch: Option<String>,
        /// Who can see it [default: from the server].
        #[arg(long, value_parser = ["public", "private"])]
        visibility: Option<String>,
        #[command(flatten)]
        server: ServerArguments,
    },
    /// List the projects that you can read.
    #[command(after_help = "Example:\n  roundtrip project list --server https://roundtrip.example.org")]
    List {
        #[command(flatten)]
        server: ServerArguments,
    },
    /// Show a project's settings and counts.
    #[command(
        after_help = "Example:\n  roundtrip project show libfoo --server https://roundtrip.example.org"
    )]
    Show {
        /// Name of the project [default: from roundtrip.toml or the repository].
        name: Option<Slug>,
        #[command(flatten)]
        server: ServerArguments,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobCommand {
    /// Queue jobs for commits and print their numbers; needs a token with scope project:write.
    #[command(after_help = "Agents fetch the commits from the project's repository: push them first.\n\n\
        Examples:\n  \
        roundtrip job create --server https://roundtrip.example.org --token-file my.token\n  \
        roundtrip job create v1.4 v1.5 --machine lab-1 --preset quick --server https://roundtrip.example.org --token-file my.token")]
    Create(JobCreateArguments),
    /// List a project's newest jobs.
    #[command(after_help = "Example:\n  roundtrip job list --server https://roundtrip.example.org")]
    List {
        /// Project [default: from roundtrip.toml or the repository].
        #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
        project: Option<Slug>,
        #[command(flatten)]
        server: ServerArguments,
    },
    /// Show a job with its attempts and their output.
    #[command(after_help = "Example:\n  roundtrip job show 12 --server https://roundtrip.example.org")]
    Show {
        /// Number from `job list`.
        #[arg(value_name = "NUMBER")]
        job_id: u64,
        /// Project [default: from roundtrip.toml or the repository].
        #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
        project: Option<Slug>,
        #[command(flatten)]
        server: ServerArguments,
    },
}

#[derive(Debug, Args)]
pub(crate) struct JobCreateArguments {
    /// Commits, branches or tags of this repository, or full SHAs.
    #[arg(value_name = "REV", default_value = "HEAD")]
    pub(crate) commits: Vec<String>,
    /// Project [default: from roundtrip.toml or the repository].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
    /// Measure on this machine; repeatable [default: each machine with the labels].
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Vec<Slug>,
    /// Label that a machine needs; repeatable.
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Vec<Slug>,
    /// Preset, or definition in the repository [default: from the commit's roundtrip.toml].
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) preset: Option<String>,
    /// Compare each commit with this one, in pairs.
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// Branch of the commits.
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArguments,
}
