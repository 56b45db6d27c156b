//! Programs of Node: a module that counts their messages from within, for where nobody may watch from outside, and because
//! there it is known what a message is.

use crate::failure::Failure;
use std::path::Path;

/// The module.
const MODULE: &str = include_str!("node.cjs");

/// Writes the module, and says how it is used.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write(file: &Path) -> crate::Result<()> {
    std::fs::write(file, MODULE).map_err(|source| Failure::Disk { path: file.to_owned(), source })?;
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let module = shell_words::quote(&absolute.to_string_lossy()).into_owned();
    eprintln!(
        "roundtrip: counts the messages of a program: ROUNDTRIP_SIZES=sizes.csv node --require {module} PROGRAM"
    );
    Ok(())
}
