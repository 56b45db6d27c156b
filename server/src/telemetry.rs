//! The log: to standard error, one line an event. Standard output belongs to what a verb prints.

use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Starts to log. `RUST_LOG` chooses what.
pub(crate) fn start() {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into());
    // PostgreSQL's notices tell of tables that exist already, at every start.
    let filter = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(chosen) if !chosen.is_empty() => filter.parse_lossy(chosen),
        _ => filter.parse_lossy("info,sqlx::postgres::notice=warn"),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        .with_target(false)
        .init();
}
