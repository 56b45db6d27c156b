//! Arguments of `serve` for TLS.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct TlsArguments {
    /// Serve HTTPS with this certificate chain (PEM), reloaded when renewed.
    #[arg(long, env = "ROUNDTRIP_TLS_CERTIFICATE", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// Private key of the certificate (PEM).
    #[arg(
        long,
        env = "ROUNDTRIP_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate",
        hide_short_help = true
    )]
    pub(crate) tls_key: Option<PathBuf>,
}
