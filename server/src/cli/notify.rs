//! Arguments of what `serve` tells people, and how.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NotifyArguments {
    /// Where people reach this server, for the links in what they are told [default: the address that it listens on].
    #[arg(long, env = "ROUNDTRIP_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Let projects send notifications to addresses of this machine and of private networks, and by http. Whoever may change
    /// a project reaches then with them what this server reaches.
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_private_targets: bool,
    /// The mail server for notifications by e-mail: `smtps://HOST`, or `smtp://HOST?tls=required` for STARTTLS, or
    /// `smtp://HOST` without encryption; with USER@ before the host where it wants a password.
    #[arg(
        long,
        env = "ROUNDTRIP_SMTP_URL",
        value_name = "URL",
        hide_short_help = true,
        requires = "mail_from"
    )]
    pub(crate) smtp_url: Option<String>,
    /// The file that holds the password of the mail server.
    #[arg(
        long,
        env = "ROUNDTRIP_SMTP_PASSWORD_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "smtp_url"
    )]
    pub(crate) smtp_password_file: Option<PathBuf>,
    /// Who sends e-mail, such as 'Roundtrip <roundtrip@example.org>'.
    #[arg(
        long,
        env = "ROUNDTRIP_MAIL_FROM",
        value_name = "ADDRESS",
        hide_short_help = true,
        requires = "smtp_url"
    )]
    pub(crate) mail_from: Option<String>,
}
