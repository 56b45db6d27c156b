//! Arguments of agents: what they measure, where they keep it, and as whom.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use roundtrip_wire::Slug;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What an agent measures, how often, and for whom.
#[derive(Debug, Args)]
pub(crate) struct WorkArguments {
    /// Measure the commits of this checkout as they are checked out, instead of what the lab's queue asks for.
    #[arg(long, value_name = "PATH", requires_all = ["upload", "token_file"])]
    pub(crate) repository: Option<PathBuf>,
    /// Of a checkout: upload the reports to this server.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) upload: Option<String>,
    /// Of a checkout: file with the token for uploads.
    #[arg(long, value_name = "FILE", env = "ROUNDTRIP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Of a checkout: what to measure, a preset, as `roundtrip list` names them, or a definition of your own, FILE.toml.
    #[arg(long, value_name = "NAME|FILE", default_value = "quick")]
    pub(crate) preset: String,
    /// Of a checkout: measure at least this often, even if no new commit comes: 90s, 30m, 12h, 1d.
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = humantime::parse_duration)]
    pub(crate) every: Duration,
    /// This machine's name in charts [default: its host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// The project's name [default: from roundtrip.toml, else the repository's].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_PROJECT")]
    pub(crate) project: Option<Slug>,
}

/// A checkout that is measured, and where its reports go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched<'a> {
    pub(crate) repository: &'a Path,
    pub(crate) upload: &'a str,
    pub(crate) token_file: &'a Path,
}

impl WorkArguments {
    /// The checkout, if there is one: otherwise jobs are taken from a queue.
    pub(crate) fn watched(&self) -> Option<Watched<'_>> {
        Some(Watched {
            repository: self.repository.as_deref()?,
            upload: self.upload.as_deref()?,
            token_file: self.token_file.as_deref()?,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    #[command(flatten)]
    pub(crate) work: WorkArguments,
    #[command(flatten)]
    pub(crate) lab: LabArguments,
    /// Of a checkout: keep reports in this folder until the server has them [default: where `roundtrip run` keeps them].
    #[arg(long, value_name = "FOLDER", requires = "repository")]
    pub(crate) spool: Option<PathBuf>,
    /// Append the log to this file, each line with its time [default: standard error, without].
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Only say whether it could take jobs like this: the exit code is 0 if it could.
    #[arg(long, conflicts_with = "repository")]
    pub(crate) check: bool,
}

/// What an agent does that was enrolled.
#[derive(Debug, Args)]
pub(crate) struct LabArguments {
    /// The folder that `roundtrip enrol` wrote, which holds all that is the agent's own.
    #[arg(long, value_name = "FOLDER", conflicts_with = "repository")]
    pub(crate) state: Option<PathBuf>,
    /// Who runs what repositories build and measure, by name or number [default: roundtrip-job].
    #[arg(long, value_name = "USER", conflicts_with = "repository")]
    pub(crate) job_user: Option<String>,
    /// Run what repositories build and measure as this agent itself, with its network and its secrets.
    #[arg(long, conflicts_with_all = ["repository", "job_user"])]
    pub(crate) trust_repositories: bool,
    /// How long each command of a repository may take: one that builds, or a benchmark of its own.
    #[arg(long, value_name = "DURATION", default_value = "30m", value_parser = humantime::parse_duration)]
    pub(crate) command_timeout: Duration,
    /// How much memory one process of a repository may use, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 8192, value_parser = mebibytes())]
    pub(crate) memory_mib_max: u64,
    /// How much a work tree may hold once it is built, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 10240, value_parser = mebibytes())]
    pub(crate) disk_mib_max: u64,
}

/// More than nothing, and less than what its bytes can be counted of.
fn mebibytes() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(1..1 << 40)
}

#[derive(Debug, Args)]
pub(crate) struct EnrolArguments {
    /// The server.
    #[arg(long, value_name = "URL", env = "ROUNDTRIP_SERVER")]
    pub(crate) server: String,
    /// File with the code; `-` is standard input [default: it is asked for].
    #[arg(long, value_name = "FILE")]
    pub(crate) code_file: Option<PathBuf>,
    /// This machine's name in charts [default: its host name].
    #[arg(long, value_name = "NAME", env = "ROUNDTRIP_MACHINE")]
    pub(crate) machine: Option<Slug>,
    /// Keep all that is the agent's own in this folder [default: beside the reports of `roundtrip run`].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) state: Option<PathBuf>,
    /// Let the agent update itself, by programs that are signed with this public key of minisign [default: never].
    #[arg(long, value_name = "FILE")]
    pub(crate) update_key: Option<PathBuf>,
}

/// What becomes somebody else's program.
#[derive(Debug, Args)]
pub(crate) struct ConfineArguments {
    /// Who it is.
    #[arg(long)]
    pub(crate) user_id: u32,
    /// Its only group.
    #[arg(long)]
    pub(crate) group_id: u32,
    /// Memory of one process.
    #[arg(long)]
    pub(crate) memory_bytes: u64,
    /// The largest file that it writes.
    #[arg(long)]
    pub(crate) file_bytes: u64,
    /// Leave it the network.
    #[arg(long)]
    pub(crate) network: bool,
    /// Where it may write.
    #[arg(long)]
    pub(crate) home: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<std::ffi::OsString>,
}
