//! Arguments, and nothing else. Data goes to standard output, everything else to standard error.

mod access;
mod notify;
mod tls;

pub(crate) use access::{
    AccessArguments, AccountCommand, AccountCreateArguments, AccountDeleteArguments, GITHUB_URL,
    GitHubCommand, GitHubLinkArguments, TokenCommand, TokenCreateArguments, TokenRevokeArguments,
    TokenRotateArguments, TrustCommand, TrustCreateArguments, TrustDeleteArguments,
};
pub(crate) use notify::NotifyArguments;
pub(crate) use tls::TlsArguments;

use clap::{Args, Parser, Subcommand};
use roundtrip_manual::Manual;
use roundtrip_wire::Slug;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

/// Track how long messages between processes take: takes reports, keeps them and shows them.
///
/// With `DATABASE_URL` set, that database is used. Without it, a PostgreSQL of its own runs in the data directory.
#[derive(Debug, Parser)]
#[command(
    name = "roundtrip-server",
    version,
    propagate_version = true,
    after_help = "Environment:\n  \
        DATABASE_URL      use this database; nothing is started\n  \
        ROUNDTRIP_PG_BIN  the folder of PostgreSQL's programs [default: from pg_config, else the usual folders]\n  \
        RUST_LOG          what to log, such as debug or warn [default: info]\n  \
        OTEL_EXPORTER_OTLP_ENDPOINT  send traces to this collector, by HTTP\n\n\
        Exit codes: 0 done, 1 failure, 2 usage."
)]
pub(crate) struct Cli {
    /// How lines of the log look.
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs: an object a line.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the web UI and the API until SIGINT or SIGTERM.
    Serve(Box<ServeArguments>),
    /// Run only the embedded PostgreSQL and print its `DATABASE_URL`.
    #[command(after_help = "Example, in two terminals:\n  \
        roundtrip-server postgres\n  \
        psql 'postgresql:///roundtrip?host=...'")]
    Postgres(PostgresArguments),
    /// Bring the database's tables up to date and end.
    Migrate(MigrateArguments),
    /// Write all that the database holds into one file, while the server runs or not.
    ///
    /// The file is a tar of the tables' rows, compressed with zstd: as they are at one moment, with a manifest and
    /// checksums. It holds private data; only its owner can read it.
    #[command(after_help = "Examples:\n  \
        roundtrip-server backup roundtrip.tar.zst\n  \
        roundtrip-server backup - | ssh vault 'cat > roundtrip.tar.zst'")]
    Backup(BackupArguments),
    /// Fill an empty database from a backup, all of it or nothing.
    ///
    /// A backup of an older version is brought up to date afterwards.
    #[command(after_help = "Examples:\n  \
        roundtrip-server restore roundtrip.tar.zst --data-dir /srv/roundtrip\n  \
        DATABASE_URL=postgres://host/empty roundtrip-server restore - < roundtrip.tar.zst")]
    Restore(BackupArguments),
    /// Show how long projects keep what, and change it for one.
    #[command(after_help = "Examples:\n  \
        roundtrip-server retention\n  \
        roundtrip-server retention --project libfoo --uploads 90 --histograms 730 --points forever")]
    Retention(RetentionArguments),
    /// Remove what is older than its project keeps it, as servers do once a day.
    Prune(PruneArguments),
    /// Make, list, rotate and revoke tokens.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Say which jobs of continuous integration may upload.
    Trust {
        #[command(subcommand)]
        command: TrustCommand,
    },
    /// Make, list and remove accounts.
    Account {
        #[command(subcommand)]
        command: AccountCommand,
    },
    /// List the repositories that the GitHub App may use, and say which project one is.
    Github {
        #[command(subcommand)]
        command: GitHubCommand,
    },
    /// Fill a project with synthetic history, for measuring the server and for trying the UI.
    ///
    /// It is drawn, not measured, and says so everywhere: in the names of machines and transports, in the preset and the
    /// version of the suite, in the facts of environments.
    #[command(after_help = "Example, ten million points:\n  \
        roundtrip-server seed --project seeded --machines 5 --series 5000 --commits 2000")]
    Seed(SeedArguments),
    /// Print the API's OpenAPI document.
    Openapi,
    #[command(flatten)]
    Manual(Manual),
    /// Run a program of PostgreSQL and stop it when standard input closes; started by the server.
    #[command(hide = true)]
    PostgresGuard(GuardArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 7979)]
    pub(crate) port: u16,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    #[command(flatten)]
    pub(crate) tls: TlsArguments,
    #[command(flatten)]
    pub(crate) access: AccessArguments,
    #[command(flatten)]
    pub(crate) notify: NotifyArguments,
    /// Serve metrics for Prometheus, too, at this address, such as 127.0.0.1:9979, under /metrics. They name no project;
    /// whoever reaches the address can read them.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<SocketAddr>,
    /// Carry the signed programs of this folder to agents, which update themselves with them.
    #[arg(long, env = "ROUNDTRIP_AGENT_RELEASES", value_name = "DIR", hide_short_help = true)]
    pub(crate) agent_releases: Option<PathBuf>,
    /// When asked to stop, answer requests for so long while /readyz already says 503, so that a load balancer notices in
    /// time. A second signal ends it at once.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) drain: u64,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(flatten)]
    pub(crate) lifeline: LifelineArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PostgresArguments {
    /// Prepare it for tests: databases made in it have all tables, and a crash of the machine may lose them.
    #[arg(long)]
    pub(crate) for_tests: bool,
    /// Only print the folder of the programs that would run, or nothing if there are none.
    #[arg(long, hide = true, conflicts_with = "for_tests")]
    pub(crate) locate: bool,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(flatten)]
    pub(crate) lifeline: LifelineArguments,
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArguments {
    /// Spread the tables over the nodes of a distributed PostgreSQL (Citus): points by machine, all else on every node.
    ///
    /// To be run once, on the coordinator of a cluster whose nodes have been added, and again after an upgrade.
    #[arg(long)]
    pub(crate) distributed: bool,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct DataArguments {
    /// Where the server keeps its data [default: /var/lib/roundtrip as root, else ~/.local/share/roundtrip].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LifelineArguments {
    /// Stop, as on SIGTERM, when standard input closes.
    ///
    /// A program that starts the server keeps the other end of the pipe: however that program ends, the server
    /// ends with it.
    #[arg(long, hide_short_help = true)]
    pub(crate) stop_with_stdin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// The file; `-` for standard output, or input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RetentionArguments {
    /// The project; all of them unless one is named.
    #[arg(long, value_name = "NAME", value_parser = Slug::parse)]
    pub(crate) project: Option<Slug>,
    /// Keep uploads and imported files so many days after they arrived, or `forever`.
    #[arg(long, value_name = "DAYS", requires = "project")]
    pub(crate) uploads: Option<Keep>,
    /// The same for the distributions of points.
    #[arg(long, value_name = "DAYS", requires = "project")]
    pub(crate) histograms: Option<Keep>,
    /// The same for points, and with them all else but the run itself.
    #[arg(long, value_name = "DAYS", requires = "project")]
    pub(crate) points: Option<Keep>,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PruneArguments {
    /// Only print what would be removed.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

/// How long something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Forever,
    Days(i32),
}

impl Keep {
    /// As tables have it: none is for ever.
    pub(crate) fn days(self) -> Option<i32> {
        match self {
            Self::Forever => None,
            Self::Days(days) => Some(days),
        }
    }
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(days) if (1..=DAYS_MAX).contains(&days) => Ok(Self::Days(days)),
            _ if text == "forever" => Ok(Self::Forever),
            _ => Err(format!("expected a number of days from 1 to {DAYS_MAX}, or forever")),
        }
    }
}

/// A hundred years.
const DAYS_MAX: i32 = 36_500;

#[derive(Debug, Args)]
pub(crate) struct SeedArguments {
    /// The project: one without runs.
    #[arg(long, value_name = "NAME", default_value = "seeded", value_parser = Slug::parse)]
    pub(crate) project: Slug,
    /// How many machines.
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) machines: u32,
    /// How many series, spread over the machines.
    #[arg(long, value_name = "COUNT", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) series: u32,
    /// How many commits; each series has a point for each.
    #[arg(long, value_name = "COUNT", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) commits: u32,
    /// Keep the distributions of so many of the newest commits of each series [default: of 1,000 in four series of each
    /// machine, of 20 in the others].
    #[arg(long, value_name = "COUNT")]
    pub(crate) histograms: Option<u32>,
    /// With the same number the same history is drawn again.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) rng_seed: u64,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GuardArguments {
    /// Run it as this user.
    #[arg(long, requires = "group_id")]
    pub(crate) user_id: Option<u32>,
    /// Run it as this group.
    #[arg(long, requires = "user_id")]
    pub(crate) group_id: Option<u32>,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<std::ffi::OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn several_proxies_are_named_with_commas_in_between() {
        let words = ["roundtrip-server", "serve", "--trusted-proxy", "10.0.0.0/8,192.0.2.1"];
        let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("not serve") };
        let proxies: Vec<String> = serve.access.trusted_proxy.iter().map(ToString::to_string).collect();
        assert_eq!(proxies, ["10.0.0.0/8", "192.0.2.1/32"]);
    }

    #[test]
    fn the_lifeline_is_in_the_long_help_only() {
        let mut command = Cli::command();
        let serve = command.find_subcommand_mut("serve").unwrap();
        assert!(!serve.render_help().to_string().contains("--stop-with-stdin"));
        assert!(serve.render_long_help().to_string().contains("--stop-with-stdin"));
    }
}
