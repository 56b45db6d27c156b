//! What follows from the arguments and the environment: the data directory, the database, where to listen.

use crate::cli::{DataArguments, ServeArguments};
use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::path::PathBuf;

/// The command was wrong, not the world: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(String);

/// Where the server keeps its data as root, whose home other users cannot enter.
const DATA_DIR_OF_ROOT: &str = "/var/lib/roundtrip";

/// The database given by `DATABASE_URL`, if any. Nothing is started then.
pub(crate) fn database_url() -> Option<String> {
    std::env::var("DATABASE_URL").ok().filter(|url| !url.is_empty())
}

/// The data directory: as given, else by the user's habit.
///
/// # Errors
/// None is given and no home directory is known.
pub(crate) fn data_dir(arguments: &DataArguments) -> Result<PathBuf> {
    match &arguments.data_dir {
        Some(given) => std::path::absolute(given).context("--data-dir is empty: expected a directory"),
        None if rustix::process::geteuid().is_root() => Ok(PathBuf::from(DATA_DIR_OF_ROOT)),
        None => data_home(
            std::env::var_os("XDG_DATA_HOME").map(PathBuf::from),
            std::env::var_os("HOME").map(PathBuf::from),
        )
        .map(|home| home.join("roundtrip"))
        .context("no home directory is known: set HOME or pass --data-dir"),
    }
}

/// A relative `XDG_DATA_HOME` counts as none, as its specification demands.
fn data_home(xdg_data_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    xdg_data_home.filter(absolute).or_else(|| Some(home.filter(absolute)?.join(".local/share")))
}

/// The address to listen on. Reads are public, so that an address which other machines reach needs a clear word.
///
/// # Errors
/// [`UsageError`] for an address that other machines reach, without `--public-read`.
pub(crate) fn listen_address(arguments: &ServeArguments) -> Result<SocketAddr> {
    if !arguments.host.is_loopback() && !arguments.public_read {
        let message = format!(
            "other machines reach {}, and anyone among them could read everything: pass --public-read to allow \
             that, or listen on 127.0.0.1",
            arguments.host
        );
        return Err(UsageError(message).into());
    }
    Ok(SocketAddr::new(arguments.host, arguments.port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn listen(arguments: &[&str]) -> Result<SocketAddr> {
        let cli = Cli::try_parse_from(["roundtrip-server", "serve"].iter().chain(arguments)).unwrap();
        let Command::Serve(arguments) = cli.command else { panic!("not the verb that was given") };
        listen_address(&arguments)
    }

    #[test]
    fn only_this_machine_reaches_the_server_by_default() {
        assert_eq!(listen(&[]).unwrap().to_string(), "127.0.0.1:7979");
        assert_eq!(listen(&["--host", "::1", "--port", "0"]).unwrap().to_string(), "[::1]:0");
    }

    #[test]
    fn an_address_that_others_reach_needs_a_clear_word() {
        let error = listen(&["--host", "0.0.0.0"]).unwrap_err();
        assert!(error.is::<UsageError>());
        assert!(error.to_string().contains("--public-read"), "{error}");
        assert_eq!(listen(&["--host", "0.0.0.0", "--public-read"]).unwrap().to_string(), "0.0.0.0:7979");
    }

    #[test]
    fn a_relative_data_home_counts_as_none() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(data_home(path("/data"), path("/home/me")), path("/data"));
        assert_eq!(data_home(path("data"), path("/home/me")), path("/home/me/.local/share"));
        assert_eq!(data_home(None, None), None);
    }
}
