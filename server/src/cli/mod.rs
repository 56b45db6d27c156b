//! Command-line arguments. Results go to standard output, everything else to standard error.

mod access;
mod lab;
mod notify;
mod tls;

pub(crate) use access::{
    AccessArguments, AccountCommand, GITHUB_URL, GitHubCommand, TokenCommand, TokenCreateArguments,
    TrustCommand, TrustCreateArguments,
};
pub(crate) use lab::{AgentCommand, EnrolmentCommand, JobCommand, ProjectCommand};
pub(crate) use notify::NotifyArguments;
pub(crate) use tls::TlsArguments;

use clap::{Args, Parser, Subcommand};
use roundtrip_domain::ingest::memory;
use roundtrip_manual::Manual;
use roundtrip_server::seed::Plan;
use roundtrip_wire::Slug;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

/// Store benchmark reports, detect changes and serve the web interface.
///
/// Without `DATABASE_URL`, the server runs an embedded PostgreSQL in its data directory.
#[derive(Debug, Parser)]
#[command(
    name = "roundtrip-server",
    version,
    propagate_version = true,
    after_help = "Environment:\n  \
        DATABASE_URL                 use this database, not the embedded one\n  \
        ROUNDTRIP_PG_BIN             folder of PostgreSQL's programs [default: from pg_config, else usual folders]\n  \
        RUST_LOG                     log level, such as debug [default: info]\n  \
        OTEL_EXPORTER_OTLP_ENDPOINT  send traces to this collector (OTLP over HTTP)\n\n\
        Examples:\n  \
        roundtrip-server serve\n  \
        roundtrip-server token create --name lab-2 > lab-2.token\n\n\
        Exit codes: 0 success, 1 failure, 2 usage error."
)]
pub(crate) struct Cli {
    /// Log format.
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Readable text.
    Text,
    /// One JSON object per line.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the web interface and the API until SIGINT or SIGTERM.
    #[command(after_help = "Examples:\n  \
        roundtrip-server serve\n  \
        roundtrip-server serve --host 0.0.0.0 --private --tls-certificate cert.pem --tls-key key.pem")]
    Serve(Box<ServeArguments>),
    /// Run only the embedded PostgreSQL and print its `DATABASE_URL`.
    #[command(after_help = "Example, in two terminals:\n  \
        roundtrip-server postgres\n  \
        psql 'postgresql:///roundtrip?host=...'")]
    Postgres(PostgresArguments),
    /// Apply database migrations.
    #[command(after_help = "Example:\n  DATABASE_URL=postgres://host/roundtrip roundtrip-server migrate")]
    Migrate {
        /// Distribute the tables over a Citus cluster.
        ///
        /// Run it on the coordinator after adding nodes and after each upgrade.
        #[arg(long)]
        distributed: bool,
    },
    /// Back up the database to one file, even while the server runs.
    ///
    /// The file is a zstd-compressed tar of a consistent snapshot, with checksums. It contains private data.
    #[command(after_help = "Examples:\n  \
        roundtrip-server backup roundtrip.tar.zst\n  \
        roundtrip-server backup - | ssh vault 'cat > roundtrip.tar.zst'")]
    Backup(BackupArguments),
    /// Restore a backup into an empty database, in one transaction.
    ///
    /// Backups of older versions are migrated.
    #[command(after_help = "Examples:\n  \
        roundtrip-server restore roundtrip.tar.zst --data-dir /srv/roundtrip\n  \
        DATABASE_URL=postgres://host/empty roundtrip-server restore - < roundtrip.tar.zst")]
    Restore(BackupArguments),
    /// Show how long projects keep data, or change it for one project.
    #[command(after_help = "Examples:\n  \
        roundtrip-server retention\n  \
        roundtrip-server retention --project libfoo --uploads 90 --histograms 730 --points forever")]
    Retention(RetentionArguments),
    /// Delete data past its retention now, as servers do daily.
    #[command(after_help = "Example:\n  roundtrip-server prune --dry-run")]
    Prune {
        /// Only print what would be deleted.
        #[arg(long)]
        dry_run: bool,
    },
    /// Create, list, rotate and revoke tokens.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Manage which CI jobs can upload without a stored secret (OIDC).
    Trust {
        #[command(subcommand)]
        command: TrustCommand,
    },
    /// Create, list and delete accounts.
    Account {
        #[command(subcommand)]
        command: AccountCommand,
    },
    /// Create, list and show projects.
    Project {
        #[command(subcommand)]
        command: ProjectCommand,
    },
    /// Create codes that enrol machines in the lab.
    Enrolment {
        #[command(subcommand)]
        command: EnrolmentCommand,
    },
    /// List the lab's agents.
    Agent {
        #[command(subcommand)]
        command: AgentCommand,
    },
    /// Queue, list and show jobs.
    Job {
        #[command(subcommand)]
        command: JobCommand,
    },
    /// List the GitHub App's repositories and link them to projects.
    Github {
        #[command(subcommand)]
        command: GitHubCommand,
    },
    /// Turn reports into a site of static pages for any web host.
    ///
    /// The site has the charts, changes and comparisons that a server would show. The database is temporary.
    #[command(after_help = "Examples:\n  \
        roundtrip-server site reports/ --output site\n  \
        roundtrip-server site --revision origin/benchmarks --output site")]
    Site(SiteArguments),
    /// Store the reports of a site in this server's database. Repeating it has no effect.
    #[command(after_help = "Examples:\n  \
        roundtrip-server import-site reports/\n  \
        roundtrip-server import-site --revision origin/benchmarks")]
    ImportSite(ReportArguments),
    /// Create a project with synthetic history, for load tests and demos.
    ///
    /// Machines, transports, presets and environments are marked as synthetic.
    #[command(after_help = "Example with ten million points:\n  \
        roundtrip-server seed --project seeded --machines 5 --series 5000 --commits 2000")]
    Seed(Plan),
    /// Print the API's OpenAPI document.
    #[command(after_help = "Example:\n  roundtrip-server openapi > openapi.json")]
    Openapi,
    #[command(flatten)]
    Manual(Manual),
    /// Run a PostgreSQL program and stop it when standard input closes. Started by the server.
    #[command(hide = true)]
    PostgresGuard(GuardArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Port; 0 selects a free one.
    #[arg(long, default_value_t = 7979)]
    pub(crate) port: u16,
    /// Listen address.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    #[command(flatten)]
    pub(crate) tls: TlsArguments,
    #[command(flatten)]
    pub(crate) access: AccessArguments,
    #[command(flatten)]
    pub(crate) notify: NotifyArguments,
    /// Serve unauthenticated Prometheus metrics at this address under /metrics.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<SocketAddr>,
    /// Memory for uploads that arrive or are being stored. More wait, then get 503 and are retried.
    #[arg(long, value_name = "MIB", default_value_t = memory::MIB_DEFAULT, value_parser = upload_memory)]
    pub(crate) upload_memory: usize,
    /// Folder with signed releases for agents' self-updates.
    #[arg(long, env = "ROUNDTRIP_AGENT_RELEASES", value_name = "DIR", hide_short_help = true)]
    pub(crate) agent_releases: Option<PathBuf>,
    /// After a stop signal, serve this long with /readyz at 503. A second signal stops immediately.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) drain: u64,
    #[command(flatten)]
    pub(crate) stop: StopArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SiteArguments {
    #[command(flatten)]
    pub(crate) reports: ReportArguments,
    /// Folder of the site. Only changed files are written; files of an earlier site are removed.
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Folder of reports (`.json`, `.json.gz`, `.json.zst`); with --revision, the Git repository [default: .].
    #[arg(value_name = "DIR")]
    pub(crate) reports: Option<PathBuf>,
    /// Read the reports of this branch, tag or commit.
    #[arg(long, value_name = "REVISION")]
    pub(crate) revision: Option<String>,
}

/// The largest body as sent takes 32 MiB. A terabyte is the most that can be counted.
const UPLOAD_MEMORY_MIB: RangeInclusive<usize> = 32..=1024 * 1024;

fn upload_memory(text: &str) -> Result<usize, String> {
    let [min, max] = [UPLOAD_MEMORY_MIB.start(), UPLOAD_MEMORY_MIB.end()];
    let mib = text.parse::<usize>().ok().filter(|mib| UPLOAD_MEMORY_MIB.contains(mib));
    mib.ok_or_else(|| format!("expected {min} to {max} MiB"))
}

#[derive(Debug, Args)]
pub(crate) struct PostgresArguments {
    /// For tests: new databases have all tables, and a crash may lose data.
    #[arg(long)]
    pub(crate) for_tests: bool,
    /// Only print the folder of PostgreSQL's programs, or nothing.
    #[arg(long, hide = true, conflicts_with = "for_tests")]
    pub(crate) locate: bool,
    #[command(flatten)]
    pub(crate) stop: StopArguments,
}

#[derive(Debug, Args)]
pub(crate) struct DataArguments {
    /// Data directory [default: /var/lib/roundtrip for root, else ~/.local/share/roundtrip].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StopArguments {
    /// Stop when standard input closes, for example when the parent process ends.
    #[arg(long, hide_short_help = true)]
    pub(crate) stop_with_stdin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// Backup file; `-` for standard output or input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RetentionArguments {
    /// Project to show or change [default: all].
    #[arg(long, value_name = "NAME", value_parser = Slug::parse)]
    pub(crate) project: Option<Slug>,
    /// Keep uploads and imported files this long, or `forever`.
    #[arg(long, value_name = "DAYS", requires = "project")]
    pub(crate) uploads: Option<Keep>,
    /// Keep distributions this long, or `forever`.
    #[arg(long, value_name = "DAYS", requires = "project")]
    pub(crate) histograms: Option<Keep>,
    /// Keep points and everything else except the run itself this long, or `forever`.
    #[arg(long, value_name = "DAYS", requires = "project")]
    pub(crate) points: Option<Keep>,
}

/// A retention time in days; none is forever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep(pub(crate) Option<i32>);

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(days) if (1..=DAYS_MAX).contains(&days) => Ok(Self(Some(days))),
            _ if text == "forever" => Ok(Self(None)),
            _ => Err(format!("expected 1 to {DAYS_MAX} days, or forever")),
        }
    }
}

/// A hundred years.
const DAYS_MAX: i32 = 36_500;

#[derive(Debug, Args)]
pub(crate) struct GuardArguments {
    /// Run as this user.
    #[arg(long, requires = "group_id")]
    pub(crate) user_id: Option<u32>,
    /// Run as this group.
    #[arg(long, requires = "user_id")]
    pub(crate) group_id: Option<u32>,
    /// Program and its arguments.
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<std::ffi::OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn proxies_are_comma_separated() {
        let words = ["roundtrip-server", "serve", "--trusted-proxy", "10.0.0.0/8,192.0.2.1"];
        let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("not serve") };
        let proxies: Vec<String> = serve.access.trusted_proxy.iter().map(ToString::to_string).collect();
        assert_eq!(proxies, ["10.0.0.0/8", "192.0.2.1/32"]);
    }

    #[test]
    fn stop_with_stdin_is_only_in_the_long_help() {
        let mut command = Cli::command();
        let serve = command.find_subcommand_mut("serve").unwrap();
        assert!(!serve.render_help().to_string().contains("--stop-with-stdin"));
        assert!(serve.render_long_help().to_string().contains("--stop-with-stdin"));
    }
}
