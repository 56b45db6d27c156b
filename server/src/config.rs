//! Settings from arguments and environment: data directory, database, listen address, integrations.

use crate::cli::{AccessArguments, DataArguments, GITHUB_URL, NotifyArguments, ServeArguments, TlsArguments};
use crate::tls;
use anyhow::{Context, Result};
use roundtrip_domain::notify::{self, email};
use roundtrip_domain::oidc::{self, Verifier};
use roundtrip_github::{App, GitHub};
use roundtrip_server::auth_settings::{self, TrustedProxies};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tokio_rustls::TlsAcceptor;

/// An error in the command line: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(String);

impl UsageError {
    pub(crate) fn new(message: &str) -> Self {
        Self(message.to_owned())
    }
}

/// The API of github.com. Other installations have it below their own address.
const GITHUB_API_URL: &str = "https://api.github.com";
/// The data directory for root, whose home other users cannot enter.
const DATA_DIR_OF_ROOT: &str = "/var/lib/roundtrip";

/// The database given by `DATABASE_URL`, if any. The embedded PostgreSQL is then not used.
pub(crate) fn database_url() -> Option<String> {
    std::env::var("DATABASE_URL").ok().filter(|url| !url.is_empty())
}

/// The data directory: as given, or the default.
pub(crate) fn data_dir(arguments: &DataArguments) -> Result<PathBuf> {
    match &arguments.data_dir {
        Some(given) => std::path::absolute(given).context("--data-dir is empty: expected a directory"),
        None if rustix::process::geteuid().is_root() => Ok(PathBuf::from(DATA_DIR_OF_ROOT)),
        None => data_home(
            std::env::var_os("XDG_DATA_HOME").map(PathBuf::from),
            std::env::var_os("HOME").map(PathBuf::from),
        )
        .map(|home| home.join("roundtrip"))
        .context("cannot find the home directory: set HOME or pass --data-dir"),
    }
}

/// A relative `XDG_DATA_HOME` counts as none, as its specification demands.
fn data_home(xdg_data_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    xdg_data_home.filter(absolute).or_else(|| Some(home.filter(absolute)?.join(".local/share")))
}

/// The address to listen on. Projects are public by default, so an address that other machines can reach requires
/// `--public-read` or `--private`.
pub(crate) fn listen_address(arguments: &ServeArguments) -> Result<SocketAddr> {
    let is_clear = arguments.access.public_read || arguments.access.private;
    if !arguments.host.is_loopback() && !is_clear {
        let message = format!(
            "{} is reachable from other machines. Pass --public-read to let them read public projects, --private to \
             require sign-in, or listen on 127.0.0.1",
            arguments.host
        );
        return Err(UsageError::new(&message).into());
    }
    Ok(SocketAddr::new(arguments.host, arguments.port))
}

/// The TLS configuration, if the server terminates TLS.
pub(crate) fn tls(arguments: &TlsArguments) -> Result<Option<TlsAcceptor>> {
    let files = arguments.tls_certificate.clone().zip(arguments.tls_key.clone());
    files.map(|(certificate, key)| tls::acceptor(tls::Files { certificate, key })).transpose()
}

/// The settings for authentication and rate limits.
pub(crate) fn auth(arguments: &AccessArguments) -> auth_settings::Settings {
    auth_settings::Settings {
        is_private: arguments.private,
        requests_per_minute: arguments.requests_per_minute,
        trusted_proxies: TrustedProxies(arguments.trusted_proxy.clone()),
    }
}

/// Sign-in with GitHub, if configured.
pub(crate) fn github(arguments: &AccessArguments) -> Result<Option<GitHub>> {
    let (Some(client_id), Some(file)) = (&arguments.github_client_id, &arguments.github_client_secret_file)
    else {
        return Ok(None);
    };
    let secret = text("the client secret of GitHub", file)?;
    let settings = roundtrip_github::Settings {
        url: arguments.github_url.trim_end_matches('/').to_owned(),
        api_url: github_api_url(arguments),
        client_id: client_id.clone(),
        client_secret: secret,
    };
    GitHub::new(settings).map(Some)
}

/// The settings for notifications. The default public address is only known once the server listens.
pub(crate) fn notifications(arguments: &NotifyArguments) -> Result<notify::Settings> {
    let public_url = arguments.public_url.clone().unwrap_or_default();
    let is_address = public_url.starts_with("https://") || public_url.starts_with("http://");
    if arguments.public_url.is_some() && !is_address {
        let message = format!("--public-url is `{public_url}`: expected https://HOST or http://HOST");
        return Err(UsageError::new(&message).into());
    }
    let mail = match (&arguments.smtp_url, &arguments.mail_from) {
        (Some(url), Some(from)) => {
            let password = arguments.smtp_password_file.as_ref();
            let password = password.map(|file| text("the mail server's password", file)).transpose()?;
            Some(email::Mail::new(&email::Settings { url: url.clone(), password, from: from.clone() })?)
        }
        _ => None,
    };
    Ok(notify::Settings { public_url, allow_private_targets: arguments.allow_private_targets, mail })
}

/// The verifier of CI job tokens, if configured.
pub(crate) fn oidc(arguments: &AccessArguments) -> Result<Option<Verifier>> {
    let Some(audience) = &arguments.oidc_audience else { return Ok(None) };
    let settings = oidc::Settings {
        issuer: arguments.oidc_issuer.trim_end_matches('/').to_owned(),
        audience: audience.trim_end_matches('/').to_owned(),
        refresh_interval: oidc::REFRESH_INTERVAL,
    };
    Verifier::new(settings).map(Some)
}

/// The GitHub App, if configured.
pub(crate) fn github_app(arguments: &AccessArguments) -> Result<Option<App>> {
    let (Some(app_id), Some(key), Some(secret)) =
        (arguments.github_app_id, &arguments.github_app_key_file, &arguments.github_webhook_secret_file)
    else {
        return Ok(None);
    };
    let settings = roundtrip_github::app::Settings {
        api_url: github_api_url(arguments),
        app_id,
        private_key_pem: read("the private key of the GitHub App", key)?,
        webhook_secret: read("the webhook secret of the GitHub App", secret)?.trim_ascii().to_vec(),
    };
    App::new(settings).map(Some)
}

fn read(what: &str, file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {what} from {}", file.display()))
}

/// A file's text without spaces around it.
fn text(what: &str, file: &Path) -> Result<String> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {what} from {}", file.display()))?;
    Ok(text.trim().to_owned())
}

/// The address as given; by default, github.com's API or `/api/v3` of another address.
fn github_api_url(arguments: &AccessArguments) -> String {
    let url = arguments.github_url.trim_end_matches('/');
    arguments.github_api_url.clone().unwrap_or_else(|| {
        if url == GITHUB_URL { GITHUB_API_URL.to_owned() } else { format!("{url}/api/v3") }
    })
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
    fn listens_locally_by_default() {
        assert_eq!(listen(&[]).unwrap().to_string(), "127.0.0.1:7979");
        assert_eq!(listen(&["--host", "::1", "--port", "0"]).unwrap().to_string(), "[::1]:0");
    }

    #[test]
    fn reachable_address_requires_an_option() {
        let error = listen(&["--host", "0.0.0.0"]).unwrap_err();
        assert!(error.is::<UsageError>());
        for word in ["--public-read", "--private"] {
            assert!(error.to_string().contains(word), "{error}");
            assert_eq!(listen(&["--host", "0.0.0.0", word]).unwrap().to_string(), "0.0.0.0:7979");
        }
    }

    #[test]
    fn ignores_a_relative_data_home() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(data_home(path("/data"), path("/home/me")), path("/data"));
        assert_eq!(data_home(path("data"), path("/home/me")), path("/home/me/.local/share"));
        assert_eq!(data_home(None, None), None);
    }
}
