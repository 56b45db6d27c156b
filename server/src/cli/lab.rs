//! Arguments for a lab: the commands `project`, `enrolment`, `agent` and `job`.

use clap::Subcommand;
use roundtrip_storage::access::Visibility;
use roundtrip_wire::{CommitSha, Slug};

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Create a project before its first run, so that agents can measure its commits.
    #[command(after_help = "Example:\n  \
        roundtrip-server project create --name libfoo --repository https://git.example.org/libfoo.git")]
    Create {
        /// Name of the project.
        #[arg(long)]
        name: Slug,
        /// Address from which agents fetch commits, without a password.
        #[arg(long, value_name = "URL")]
        repository: Option<String>,
        /// Branch whose runs form the trend [default: from the first run].
        #[arg(long, value_name = "BRANCH")]
        default_branch: Option<String>,
        /// Who can see it: public (everyone with read access to the server) or private (its members).
        #[arg(long, default_value_t = Visibility::Public)]
        visibility: Visibility,
    },
    /// List projects.
    #[command(after_help = "Example:\n  roundtrip-server project list")]
    List,
    /// Show a project's settings and counts.
    #[command(after_help = "Example:\n  roundtrip-server project show libfoo")]
    Show {
        /// Name of the project.
        name: Slug,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EnrolmentCommand {
    /// Create a code for `roundtrip enrol` and print it once. It is valid for ten minutes.
    #[command(after_help = "Example:\n  \
        roundtrip-server enrolment create --project libfoo | roundtrip enrol --server URL --code-file -")]
    Create {
        /// Restrict the agent to a project.
        #[arg(long)]
        project: Option<Slug>,
        /// Only for this machine; replaces its agent.
        #[arg(long)]
        machine: Option<Slug>,
        /// Label of the agent (repeatable).
        #[arg(long, value_name = "NAME")]
        label: Vec<Slug>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// List the agents that may work for a project.
    #[command(after_help = "Example:\n  roundtrip-server agent list --project libfoo")]
    List {
        /// Name of the project.
        #[arg(long)]
        project: Slug,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobCommand {
    /// Queue jobs for commits and print their numbers.
    #[command(after_help = "Examples:\n  \
        roundtrip-server job create --project libfoo $(git rev-parse HEAD)\n  \
        roundtrip-server job create --project libfoo --machine lab-1 --preset quick $(git rev-parse HEAD)")]
    Create {
        /// Name of the project.
        #[arg(long)]
        project: Slug,
        /// Full SHAs of the commits.
        #[arg(value_name = "SHA", required = true, value_parser = CommitSha::parse)]
        commits: Vec<CommitSha>,
        /// Measure on this machine (repeatable) [default: each machine with the labels].
        #[arg(long, value_name = "NAME")]
        machine: Vec<Slug>,
        /// Label that a machine needs (repeatable).
        #[arg(long, value_name = "NAME")]
        label: Vec<Slug>,
        /// Preset, or definition in the repository [default: from the commit's roundtrip.toml].
        #[arg(long, value_name = "NAME|FILE")]
        preset: Option<String>,
        /// Compare each commit with this one, in pairs.
        #[arg(long, value_name = "SHA", value_parser = CommitSha::parse)]
        base: Option<CommitSha>,
        /// Branch of the commits.
        #[arg(long, value_name = "BRANCH")]
        branch: Option<String>,
    },
    /// List a project's newest jobs.
    #[command(after_help = "Example:\n  roundtrip-server job list --project libfoo")]
    List {
        /// Name of the project.
        #[arg(long)]
        project: Slug,
    },
    /// Show a job with its attempts and their output.
    #[command(after_help = "Example:\n  roundtrip-server job show --project libfoo 12")]
    Show {
        /// Name of the project.
        #[arg(long)]
        project: Slug,
        /// Number from `job list`.
        #[arg(value_name = "NUMBER")]
        job_id: i64,
    },
}
