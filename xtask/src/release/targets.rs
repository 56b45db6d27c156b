//! What a release is made of: which programs for which targets.

/// One build of a release.
pub(super) struct Target {
    /// As archives call it.
    pub(super) triple: &'static str,
    /// The programs that are made for it.
    pub(super) programs: &'static [&'static str],
    /// The targets whose agents replace themselves by this one's, as the programs call what they were built for.
    pub(super) updates: &'static [&'static str],
}

/// The command on lab machines and desks.
pub(super) const AGENT: &str = "roundtrip";
/// What agents upload to.
pub(super) const SERVER: &str = "roundtrip-server";
/// Where the docs are tried out.
pub(super) const LINUX_X86_64: &str = "x86_64-unknown-linux-musl";

pub(super) static TARGETS: &[Target] = &[
    Target { triple: LINUX_X86_64, programs: &[AGENT, SERVER], updates: &["x86_64-unknown-linux-musl"] },
    Target {
        triple: "aarch64-unknown-linux-musl",
        programs: &[AGENT, SERVER],
        updates: &["aarch64-unknown-linux-musl"],
    },
    // Both processors' programs in one file: each half says which it is.
    Target {
        triple: "universal-apple-darwin",
        programs: &[AGENT, SERVER],
        updates: &["aarch64-apple-darwin", "x86_64-apple-darwin"],
    },
    Target {
        triple: "x86_64-unknown-freebsd",
        programs: &[AGENT, SERVER],
        updates: &["x86_64-unknown-freebsd"],
    },
    // The server is a program of Unix, and agents on Windows do not update themselves.
    Target { triple: "x86_64-pc-windows-msvc", programs: &[AGENT], updates: &[] },
];

/// Reads the name of a target.
///
/// # Errors
/// No release is made for it: which ones are.
pub(super) fn triple(text: &str) -> Result<String, String> {
    if TARGETS.iter().any(|target| target.triple == text) {
        return Ok(text.to_owned());
    }
    let triples: Vec<_> = TARGETS.iter().map(|target| target.triple).collect();
    Err(format!("expected one of these: {}", triples.join(", ")))
}
