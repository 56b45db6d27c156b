//! Arguments, and nothing else. Data goes to standard output, everything else to standard error.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};
use std::net::IpAddr;
use std::path::PathBuf;

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
        RUST_LOG          what to log, such as debug or warn [default: info]\n\n\
        Exit codes: 0 done, 1 failure, 2 usage."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the web UI and the API until SIGINT or SIGTERM.
    Serve(ServeArguments),
    /// Run only the embedded PostgreSQL and print its `DATABASE_URL`.
    #[command(after_help = "Example, in two terminals:\n  \
        roundtrip-server postgres\n  \
        psql 'postgresql:///roundtrip?host=...'")]
    Postgres(PostgresArguments),
    /// Bring the database's tables up to date and end.
    Migrate(DataArguments),
    /// Make tokens for agents.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Print the API's OpenAPI document.
    Openapi,
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
    /// Allow an address that other machines reach. Anyone who reaches the port can then read everything; uploads
    /// still need a token.
    #[arg(long)]
    pub(crate) public_read: bool,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(flatten)]
    pub(crate) lifeline: LifelineArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PostgresArguments {
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(flatten)]
    pub(crate) lifeline: LifelineArguments,
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

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it, once: only its SHA-256 is stored.
    #[command(after_help = "Example:\n  \
        roundtrip-server token create --name lab-3 > lab-3.token")]
    Create(TokenCreateArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TokenCreateArguments {
    /// Whom it is for, such as a machine's name.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) name: String,
    /// What it allows.
    #[arg(long, default_value = INGEST_WRITE, value_parser = [INGEST_WRITE])]
    pub(crate) scope: String,
    /// When it ceases to be valid.
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub(crate) expires_in_days: u32,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

/// The scope with which agents upload.
pub(crate) const INGEST_WRITE: &str = "ingest:write";

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
    fn the_lifeline_is_in_the_long_help_only() {
        let mut command = Cli::command();
        let serve = command.find_subcommand_mut("serve").unwrap();
        assert!(!serve.render_help().to_string().contains("--stop-with-stdin"));
        assert!(serve.render_long_help().to_string().contains("--stop-with-stdin"));
    }
}
