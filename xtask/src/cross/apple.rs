//! The libraries of macOS that programs link with, by the names of what they export: Apple's own kit cannot be
//! fetched, and no more is needed to link.

use anyhow::{Context, Result};
use std::path::Path;

/// Where the linker looks for it, and what it exports of what is imported.
const LIBRARIES: &[(&str, &str)] = &[
    ("libobjc.tbd", include_str!("../../cross/macos/libobjc.tbd")),
    (
        "CoreFoundation.framework/CoreFoundation.tbd",
        include_str!("../../cross/macos/CoreFoundation.framework/CoreFoundation.tbd"),
    ),
    (
        "Foundation.framework/Foundation.tbd",
        include_str!("../../cross/macos/Foundation.framework/Foundation.tbd"),
    ),
];

/// Lays the libraries out in `folder`, as the linker looks for them.
///
/// # Errors
/// The folder cannot be written to.
pub(super) fn lay_out(folder: &Path) -> Result<()> {
    for (path, exports) in LIBRARIES {
        let path = folder.join(path);
        // What is right is left as it is: a program may be linked with it at this moment.
        if std::fs::read_to_string(&path).is_ok_and(|found| found == *exports) {
            continue;
        }
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, exports))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_names_itself_as_the_linker_looks_for_it() {
        for (path, exports) in LIBRARIES {
            let name = path.rsplit('/').next().unwrap().strip_suffix(".tbd").unwrap();
            let line = exports.lines().find(|line| line.starts_with("install-name: ")).unwrap();
            assert!(line.contains(&format!("/{name}")), "{path}: {line}");
        }
    }

    #[test]
    fn what_lies_there_is_replaced_only_if_it_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libobjc.tbd");
        std::fs::write(&library, "older").unwrap();
        lay_out(folder.path()).unwrap();
        let written = std::fs::metadata(&library).unwrap().modified().unwrap();
        assert_ne!(std::fs::read_to_string(&library).unwrap(), "older");
        lay_out(folder.path()).unwrap();
        assert_eq!(std::fs::metadata(&library).unwrap().modified().unwrap(), written);
    }
}
