//! Arguments of `serve` for notifications.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NotifyArguments {
    /// Public address for links in notifications [default: the listen address].
    #[arg(long, env = "ROUNDTRIP_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Allow notifications to private addresses and by plain HTTP. Maintainers can then reach the server's network.
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_private_targets: bool,
    /// Mail server: `smtps://[USER@]HOST`, `smtp://HOST?tls=required` (STARTTLS) or `smtp://HOST` (unencrypted).
    #[arg(
        long,
        env = "ROUNDTRIP_SMTP_URL",
        value_name = "URL",
        hide_short_help = true,
        requires = "mail_from"
    )]
    pub(crate) smtp_url: Option<String>,
    /// File with the mail server's password.
    #[arg(
        long,
        env = "ROUNDTRIP_SMTP_PASSWORD_FILE",
        value_name = "FILE",
        hide_short_help = true,
        requires = "smtp_url"
    )]
    pub(crate) smtp_password_file: Option<PathBuf>,
    /// Sender of e-mail, such as 'Roundtrip <roundtrip@example.org>'.
    #[arg(
        long,
        env = "ROUNDTRIP_MAIL_FROM",
        value_name = "ADDRESS",
        hide_short_help = true,
        requires = "smtp_url"
    )]
    pub(crate) mail_from: Option<String>,
}
