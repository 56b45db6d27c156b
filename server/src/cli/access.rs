//! Arguments of who is let in: what `serve` takes of it, and the verbs `token`, `trust` and `account`.

use super::DataArguments;
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
    /// Allow an address that other machines reach. Anyone who reaches the port can then read public projects, as all
    /// are at first; whatever changes something needs a token.
    #[arg(long, conflicts_with = "private")]
    pub(crate) public_read: bool,
    /// Show strangers nothing, and make new projects private; allows an address that other machines reach.
    #[arg(long)]
    pub(crate) private: bool,
    /// How many requests a minute are served of each address without a token; tokens and sessions have twenty times as
    /// many each.
    #[arg(long, value_name = "N", default_value_t = REQUESTS_PER_MINUTE_DEFAULT, hide_short_help = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests_per_minute: u32,
    /// A proxy in front of this server, whose `x-forwarded-for` names the client; can be given again, or several with
    /// commas in between.
    #[arg(
        long,
        env = "ROUNDTRIP_TRUSTED_PROXY",
        value_name = "NETWORK",
        value_parser = network,
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub(crate) trusted_proxy: Vec<IpNet>,
    /// The client ID of the OAuth app with which people sign in at GitHub.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_CLIENT_ID",
        value_name = "ID",
        hide_short_help = true,
        requires = "github_client_secret_file"
    )]
    pub(crate) github_client_id: Option<String>,
    /// The file that holds the client secret of that app.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_CLIENT_SECRET_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "github_client_id"
    )]
    pub(crate) github_client_secret_file: Option<PathBuf>,
    /// Who signs for jobs of continuous integration: that of GitHub Actions; GitHub Enterprise Server has its own,
    /// `https://HOST/_services/token`.
    #[arg(long, env = "ROUNDTRIP_OIDC_ISSUER", value_name = "URL", default_value = GITHUB_ISSUER, hide_short_help = true)]
    pub(crate) oidc_issuer: String,
    /// Let jobs upload without a secret that lies with them (OIDC): they ask their own system for a token that is
    /// made for this address of this server.
    #[arg(long, env = "ROUNDTRIP_OIDC_AUDIENCE", value_name = "URL", hide_short_help = true)]
    pub(crate) oidc_audience: Option<String>,
    /// The number of the GitHub App that this server is, which writes on pull requests.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_APP_ID",
        value_name = "NUMBER",
        hide_short_help = true,
        requires_all = ["github_app_key_file", "github_webhook_secret_file"]
    )]
    pub(crate) github_app_id: Option<u64>,
    /// The file that holds the private key of that App, as GitHub gave it.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_APP_KEY_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "github_app_id"
    )]
    pub(crate) github_app_key_file: Option<PathBuf>,
    /// The file that holds the secret with which GitHub signs what it tells that App.
    #[arg(
        long,
        env = "ROUNDTRIP_GITHUB_WEBHOOK_SECRET_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "github_app_id"
    )]
    pub(crate) github_webhook_secret_file: Option<PathBuf>,
    /// Where GitHub is.
    #[arg(long, env = "ROUNDTRIP_GITHUB_URL", value_name = "URL", default_value = GITHUB_URL, hide_short_help = true)]
    pub(crate) github_url: String,
    /// Where GitHub's API is [default: that of GitHub itself; of another one, `/api/v3` there].
    #[arg(long, env = "ROUNDTRIP_GITHUB_API_URL", value_name = "URL", hide_short_help = true)]
    pub(crate) github_api_url: Option<String>,
}

/// GitHub's own.
pub(crate) const GITHUB_URL: &str = "https://github.com";

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it, once: only its SHA-256 is stored.
    #[command(after_help = "Examples:\n  \
        roundtrip-server token create --name lab-3 --project libfoo --machine lab-3 > lab-3.token\n  \
        roundtrip-server token create --name ci --kind ci --project libfoo\n  \
        roundtrip-server token create --name scripts --kind user --account ada --scope read")]
    Create(TokenCreateArguments),
    /// List the tokens that have not been revoked.
    List(DataArguments),
    /// Revoke a token, at once.
    Revoke(TokenRevokeArguments),
    /// Give a token another secret and print it, once; the one of now is accepted for a while.
    Rotate(TokenRotateArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TokenCreateArguments {
    /// Whom it is for, such as a machine's name.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) name: String,
    /// Who uses it: user, agent or ci.
    #[arg(long, default_value_t = TokenKind::Agent)]
    pub(crate) kind: TokenKind,
    /// Of a user's token: whose rights it has.
    #[arg(long, value_name = "NAME", required_if_eq("kind", "user"))]
    pub(crate) account: Option<Slug>,
    /// What it allows: read, ingest:write, project:write or admin; can be given again [default: ingest:write for agents,
    /// read and that for CI, both and project:write for users].
    #[arg(long)]
    pub(crate) scope: Vec<Scope>,
    /// The only project that it is good for.
    #[arg(long)]
    pub(crate) project: Option<Slug>,
    /// The only machine that it uploads for.
    #[arg(long)]
    pub(crate) machine: Option<Slug>,
    /// When it ceases to be valid.
    #[arg(long, value_name = "DAYS", default_value_t = TOKEN_DAYS_DEFAULT,
          value_parser = clap::value_parser!(u32).range(1..=TOKEN_DAYS_MAX as i64))]
    pub(crate) expires_in_days: u32,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TokenRevokeArguments {
    /// Its number, as `token list` shows it.
    #[arg(value_name = "NUMBER")]
    pub(crate) token_id: i64,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TokenRotateArguments {
    /// Its number, as `token list` shows it.
    #[arg(value_name = "NUMBER")]
    pub(crate) token_id: i64,
    /// How long the secret of now is accepted beside the new one.
    #[arg(long, value_name = "HOURS", default_value_t = OVERLAP_HOURS_DEFAULT,
          value_parser = clap::value_parser!(u32).range(0..=OVERLAP_HOURS_MAX as i64))]
    pub(crate) overlap_hours: u32,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Let jobs of a repository upload to a project, with tokens that their own system signs.
    ///
    /// The numbers of a repository and of its owner stay when names change hands. In a pattern * stands for any characters.
    #[command(after_help = "Examples:\n  \
        gh api repos/octo/lib --jq '.id, .owner.id'\n  \
        roundtrip-server trust create --project libfoo --repository octo/lib --repository-id 101 --owner-id 7 \
        --workflow-ref 'octo/lib/.github/workflows/*@refs/heads/main'")]
    Create(TrustCreateArguments),
    /// List which jobs are trusted.
    List(DataArguments),
    /// Trust them no more: tokens that they have are revoked.
    Delete(TrustDeleteArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TrustCreateArguments {
    /// The project that they may upload to.
    #[arg(long)]
    pub(crate) project: Slug,
    /// The repository's name, for people.
    #[arg(long, value_name = "OWNER/NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) repository: String,
    /// The repository's number.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) repository_id: i64,
    /// The number of whoever owns it.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) owner_id: i64,
    /// Only with this workflow's file, and the ref that it is read from.
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) workflow_ref: Option<String>,
    /// Only for this ref.
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) git_ref: Option<String>,
    /// Only in this environment.
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) environment: Option<String>,
    /// Who signs for the jobs: as `serve` is told.
    #[arg(long, env = "ROUNDTRIP_OIDC_ISSUER", value_name = "URL", default_value = GITHUB_ISSUER)]
    pub(crate) issuer: String,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TrustDeleteArguments {
    /// Its number, as `trust list` shows it.
    #[arg(value_name = "NUMBER")]
    pub(crate) oidc_trust_id: i64,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AccountCommand {
    /// Make an account. Without a login at GitHub, print a token for it, once.
    #[command(after_help = "Examples:\n  \
        roundtrip-server account create --name ada --admin > ada.token\n  \
        roundtrip-server account create --name grace --github grace-hopper")]
    Create(AccountCreateArguments),
    /// List the accounts.
    List(DataArguments),
    /// Remove an account, with its tokens, sessions and roles.
    Delete(AccountDeleteArguments),
}

#[derive(Debug, Args)]
pub(crate) struct AccountCreateArguments {
    /// Its name.
    #[arg(long)]
    pub(crate) name: Slug,
    /// Let it do everything on this server.
    #[arg(long)]
    pub(crate) admin: bool,
    /// Its login at GitHub, with which it signs in.
    #[arg(long, value_name = "LOGIN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) github: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct AccountDeleteArguments {
    /// Its name.
    pub(crate) name: Slug,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GitHubCommand {
    /// List the repositories that the App may use, and their projects.
    Repositories(DataArguments),
    /// Say that a project's commits are those of a repository: from then on its pull requests are looked after.
    #[command(after_help = "Example:\n  \
        roundtrip-server github link --project libfoo --repository acme/libfoo")]
    Link(GitHubLinkArguments),
}

#[derive(Debug, Args)]
pub(crate) struct GitHubLinkArguments {
    /// The project.
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Slug,
    /// The repository.
    #[arg(long, value_name = "OWNER/NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) repository: String,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

/// A network, or one address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<std::net::IpAddr>().map(IpNet::from);
    text.parse::<IpNet>()
        .or_else(|_| address())
        .map_err(|_| "expected an address or a network, as in 10.0.0.0/8".to_owned())
}
