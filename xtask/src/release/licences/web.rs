//! The packages of the web interface: the build writes their licences beside it, because it alone knows what is in it.

use crate::web;
use anyhow::{Context, Result, ensure};

/// As `web/licences.ts` calls it.
const FILE: &str = "dist/licenses.md";

/// What the build has written, below a line of its own.
///
/// # Errors
/// Nothing was built, or a package is named without a text.
pub(crate) fn text() -> Result<String> {
    let path = web::folder().join(FILE);
    let written = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}: expected the web interface to be built", path.display()))?;
    check(&written)?;
    Ok(format!("\n{}\nThe web interface, which the program carries:\n\n{written}", "=".repeat(80)))
}

/// Whether each package has a text.
///
/// # Errors
/// Which one has none, or there is no package at all.
pub(super) fn check(written: &str) -> Result<()> {
    let mut sections = written.split("\n## ");
    sections.next();
    let mut count = 0;
    for section in sections {
        let (title, text) = section.split_once('\n').unwrap_or((section, ""));
        ensure!(!text.trim().is_empty(), "{title} in the web interface has no text of its licence");
        count += 1;
    }
    ensure!(count > 0, "{FILE} names no package");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_a_text_is_refused_by_name() {
        check("# Licenses\n\n## react - 19.0.0 (MIT)\n\nMIT License\n").unwrap();
        let bare = "# Licenses\n\n## react - 19.0.0 (MIT)\n\n## clsx - 2.1.1 (MIT)\n\nMIT License\n";
        let refused = check(bare).unwrap_err().to_string();
        assert!(refused.starts_with("react - 19.0.0 (MIT) in the web interface"), "{refused}");
        assert!(check("# Licenses\n").is_err());
    }
}
