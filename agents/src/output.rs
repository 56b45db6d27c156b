//! Standard output, for whoever reads it.

use crate::failure::Failure;
use std::io::{self, Write};

/// Writes all of a text, and the end of its last line where it lacks one.
pub(crate) fn print(text: &str) -> crate::Result<()> {
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let printed = [text, end].into_iter().try_for_each(|part| out.write_all(part.as_bytes()));
    match printed.and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| Failure::Disk { path: "standard output".into(), source }),
    }
}

/// Writes a value as indented JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> crate::Result<()> {
    let json = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Other(format!("writing JSON: {error}")))?;
    print(&json)
}
