//! Arguments for access: options of `serve`, and the commands `token`, `trust`, `account` and `github`.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use ipnet::IpNet;
use roundtrip_domain::access::{
    OVERLAP_HOURS_DEFAULT, OVERLAP_HOURS_MAX, TOKEN_DAYS_DEFAULT, TOKEN_DAYS_MAX,
};
use roundtrip_domain::oidc::GITHUB_ISSUER;
use roundtrip_server::auth_settings::REQUESTS_PER_MINUTE_DEFAULT;
use roundtrip_storage::access::{Scope, TokenKind};
use roundtrip_wire::Slug;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct AccessArguments {
    /// Let other machines connect and read public projects. Changes need a token.
    #[arg(long, conflicts_with = "private")]
    pub(crate) public_read: bool,
    /// Let other machines connect, require sign-in and make new projects private.
    #[arg(long)]
    pub(crate) private: bool,
    /// Limit requests per minute and address. Tokens and sessions get 20 times as many.
    #[arg(long, value_name = "N", default_value_t = REQUESTS_PER_MINUTE_DEFAULT, hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests_per_minute: u32,
    /// Trust `x-forwarded-for` from these proxies (repeatable or comma-separated).
    #[arg(
        long,
        env = "ROUNDTRIP_TRUSTED_PROXY",
        value_name = "NETWORK",
        value_parser = network,
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub(crate) trusted_proxy: Vec<IpNet>,
    /// Client ID of the GitHub OAuth app for sign-in.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_CLIENT_ID",
        value_name = "ID",
        hide_short_help = true,
        requires = "github_client_secret_file"
    )]
    pub(crate) github_client_id: Option<String>,
    /// File with the OAuth app's client secret.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_CLIENT_SECRET_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "github_client_id"
    )]
    pub(crate) github_client_secret_file: Option<PathBuf>,
    /// Issuer of CI job tokens; for GitHub Enterprise Server `https://HOST/_services/token`.
    #[arg(long, env = "ROUNDTRIP_OIDC_ISSUER", value_name = "URL", default_value = GITHUB_ISSUER, hide_short_help = true)]
    pub(crate) oidc_issuer: String,
    /// Accept uploads from CI jobs with OIDC tokens for this address of the server.
    #[arg(long, env = "ROUNDTRIP_OIDC_AUDIENCE", value_name = "URL", hide_short_help = true)]
    pub(crate) oidc_audience: Option<String>,
    /// ID of the GitHub App that comments on pull requests.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_APP_ID",
        value_name = "NUMBER",
        hide_short_help = true,
        requires_all = ["github_app_key_file", "github_webhook_secret_file"]
    )]
    pub(crate) github_app_id: Option<u64>,
    /// File with the App's private key (PEM).
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_APP_KEY_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "github_app_id"
    )]
    pub(crate) github_app_key_file: Option<PathBuf>,
    /// File with the App's webhook secret.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_WEBHOOK_SECRET_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "github_app_id"
    )]
    pub(crate) github_webhook_secret_file: Option<PathBuf>,
    /// Address of GitHub.
    #[arg(long, env = "ROUNDTRIP_GITHUB_URL", value_name = "URL", default_value = GITHUB_URL, hide_short_help = true)]
    pub(crate) github_url: String,
    /// Address of GitHub's API [default: GitHub's own; for GitHub Enterprise Server `/api/v3`].
    #[arg(long, env = "ROUNDTRIP_GITHUB_API_URL", value_name = "URL", hide_short_help = true)]
    pub(crate) github_api_url: Option<String>,
}

/// GitHub's own address.
pub(crate) const GITHUB_URL: &str = "https://github.com";

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token and print it once.
    #[command(after_help = "Examples:\n  \
        roundtrip-server token create --name lab-3 --project libfoo --machine lab-3 > lab-3.token\n  \
        roundtrip-server token create --name ci --kind ci --project libfoo\n  \
        roundtrip-server token create --name scripts --kind user --account ada --scope read")]
    Create(TokenCreateArguments),
    /// List tokens that are not revoked.
    #[command(after_help = "Example:\n  roundtrip-server token list")]
    List,
    /// Revoke a token immediately.
    #[command(after_help = "Example:\n  roundtrip-server token revoke 3")]
    Revoke {
        /// Number from `token list`.
        #[arg(value_name = "NUMBER")]
        token_id: i64,
    },
    /// Replace a token's secret and print the new one once.
    #[command(after_help = "Example:\n  roundtrip-server token rotate 3 --overlap-hours 1 > lab-3.token")]
    Rotate {
        /// Number from `token list`.
        #[arg(value_name = "NUMBER")]
        token_id: i64,
        /// Accept the old secret for this many hours.
        #[arg(long, value_name = "HOURS", default_value_t = OVERLAP_HOURS_DEFAULT,
              value_parser = clap::value_parser!(u32).range(0..=OVERLAP_HOURS_MAX as i64))]
        overlap_hours: u32,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TokenCreateArguments {
    /// Name of the token, such as the machine's name.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) name: String,
    /// Kind: user, agent or ci.
    #[arg(long, default_value_t = TokenKind::Agent)]
    pub(crate) kind: TokenKind,
    /// Account of a user's token.
    #[arg(long, value_name = "NAME", required_if_eq("kind", "user"))]
    pub(crate) account: Option<Slug>,
    /// Scope (repeatable): read, ingest:write, project:write or admin [default: agent ingest:write; ci also read; user
    /// also project:write].
    #[arg(long)]
    pub(crate) scope: Vec<Scope>,
    /// Restrict the token to a project.
    #[arg(long)]
    pub(crate) project: Option<Slug>,
    /// Restrict an agent's token to a machine.
    #[arg(long)]
    pub(crate) machine: Option<Slug>,
    /// Lifetime in days.
    #[arg(long, value_name = "DAYS", default_value_t = TOKEN_DAYS_DEFAULT,
          value_parser = clap::value_parser!(u32).range(1..=TOKEN_DAYS_MAX as i64))]
    pub(crate) expires_in_days: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Let a repository's CI jobs upload to a project.
    ///
    /// IDs identify the repository and owner even after a rename. In a pattern, * matches any characters.
    #[command(after_help = "Examples:\n  \
        gh api repos/octo/lib --jq '.id, .owner.id'\n  \
        roundtrip-server trust create --project libfoo --repository octo/lib --repository-id 101 --owner-id 7 \
        --workflow-ref 'octo/lib/.github/workflows/*@refs/heads/main'")]
    Create(TrustCreateArguments),
    /// List trusted repositories.
    #[command(after_help = "Example:\n  roundtrip-server trust list")]
    List,
    /// Remove a trust and revoke tokens issued under it.
    #[command(after_help = "Example:\n  roundtrip-server trust delete 2")]
    Delete {
        /// Number from `trust list`.
        #[arg(value_name = "NUMBER")]
        oidc_trust_id: i64,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TrustCreateArguments {
    /// Project to upload to.
    #[arg(long)]
    pub(crate) project: Slug,
    /// Name of the repository, for display only.
    #[arg(long, value_name = "OWNER/NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) repository: String,
    /// ID of the repository.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) repository_id: i64,
    /// ID of the repository's owner.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) owner_id: i64,
    /// Require a workflow file and ref.
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) workflow_ref: Option<String>,
    /// Require a Git ref.
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) git_ref: Option<String>,
    /// Require a deployment environment.
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) environment: Option<String>,
    /// Issuer of the job tokens, as passed to `serve`.
    #[arg(long, env = "ROUNDTRIP_OIDC_ISSUER", value_name = "URL", default_value = GITHUB_ISSUER)]
    pub(crate) issuer: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AccountCommand {
    /// Create an account. Without `--github`, print a token for sign-in once.
    #[command(after_help = "Examples:\n  \
        roundtrip-server account create --name ada --admin > ada.token\n  \
        roundtrip-server account create --name grace --github grace-hopper")]
    Create {
        /// Name of the account.
        #[arg(long)]
        name: Slug,
        /// Make it an administrator of the server.
        #[arg(long)]
        admin: bool,
        /// GitHub login for sign-in.
        #[arg(long, value_name = "LOGIN", value_parser = NonEmptyStringValueParser::new())]
        github: Option<String>,
    },
    /// List accounts.
    #[command(after_help = "Example:\n  roundtrip-server account list")]
    List,
    /// Delete an account with its tokens, sessions and roles.
    #[command(after_help = "Example:\n  roundtrip-server account delete grace")]
    Delete {
        /// Name of the account.
        name: Slug,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum GitHubCommand {
    /// List the App's repositories and their projects.
    #[command(after_help = "Example:\n  roundtrip-server github repositories")]
    Repositories,
    /// Link a project to a repository, so that the App handles its pull requests.
    #[command(after_help = "Example:\n  \
        roundtrip-server github link --project libfoo --repository acme/libfoo")]
    Link {
        /// Project to link.
        #[arg(long, value_name = "NAME")]
        project: Slug,
        /// Repository to link.
        #[arg(long, value_name = "OWNER/NAME", value_parser = NonEmptyStringValueParser::new())]
        repository: String,
    },
}

/// Parses a network or an address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<std::net::IpAddr>().map(IpNet::from);
    text.parse::<IpNet>()
        .or_else(|_| address())
        .map_err(|_| "expected an address or a network, as in 10.0.0.0/8".to_owned())
}
