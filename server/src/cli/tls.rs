//! Arguments of TLS.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct TlsArguments {
    /// Speak HTTPS, with the certificates of this file (PEM): the server's own first. Renewed files are taken without a
    /// restart. Without it, HTTPS is a proxy's affair.
    #[arg(long, env = "ROUNDTRIP_TLS_CERTIFICATE", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// The file of the certificate's private key (PEM).
    #[arg(
        long,
        env = "ROUNDTRIP_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate",
        hide_short_help = true
    )]
    pub(crate) tls_key: Option<PathBuf>,
}
