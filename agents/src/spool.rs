//! Reports on disk: written before they are uploaded, removed only when the server has acknowledged them. A report
//! is whole or absent: written under another name, forced to disk, then renamed.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where reports wait: `$XDG_STATE_HOME/roundtrip/spool`, or what the system uses in its place.
pub(crate) fn folder() -> PathBuf {
    let state = dirs::state_dir().or_else(dirs::data_local_dir).unwrap_or_else(std::env::temp_dir);
    state.join("roundtrip").join("spool")
}

/// Writes a file so that a crash at any moment leaves the old one or the new one.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> crate::Result<()> {
    write_durably(path, bytes).map_err(|source| Failure::Disk { path: path.to_owned(), source })
}

/// Removes an acknowledged report.
pub(crate) fn remove(path: &Path) -> crate::Result<()> {
    fs::remove_file(path).map_err(|source| Failure::Disk { path: path.to_owned(), source })
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    // As any file that one writes: the report holds no secret, and `--output` is for others to read.
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The name is durable once its folder is; systems that cannot open a folder keep it otherwise.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/report.json");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = write(&folder.path().join("file/report.json"), b"").unwrap_err();
        assert!(
            matches!(error, Failure::Disk { .. }) && error.to_string().contains("file/report.json"),
            "{error}"
        );
    }
}
