//! Turns the output of PostgreSQL's programs into an error message.

use std::path::Path;

/// Messages for a full disk in the C locale: the operating system's, and PostgreSQL's for a partial write.
const DISK_FULL: [&str; 2] = ["No space left on device", "Check free disk space"];
/// Below this, the disk counts as full, because a full disk can also lose the error message.
const FREE_BYTES_MIN: u64 = 1 << 20;
/// A new database takes 40 MiB, and the same again for its write-ahead log.
const NEW_DATABASE_MEBIBYTES: u64 = 100;

/// The message for early clients, which is not an error.
const TOO_EARLY: &str = "the database system is starting up";

/// The last fatal line, without time and severity; without one, the last line.
pub(crate) fn last(text: &str) -> Option<&str> {
    let lines =
        || text.lines().rev().map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(TOO_EARLY));
    let complaint = |line: &'_ str| {
        ["FATAL:", "PANIC:", "error:"].iter().find_map(|mark| line.find(mark).map(|at| at + mark.len()))
    };
    lines().find_map(|line| complaint(line).map(|at| line[at..].trim())).or_else(|| lines().next())
}

/// Whether a full disk caused the message or its absence.
pub(crate) fn is_disk_full(text: &str, directory: &Path) -> bool {
    reports_full_disk(text) || free_bytes(directory).is_some_and(|free| free < FREE_BYTES_MIN)
}

/// Returns the error, or advice about a full disk if that caused it.
pub(crate) fn explain(error: anyhow::Error, directory: &Path) -> anyhow::Error {
    if reports_full_disk(&format!("{error:#}")) { disk_full(directory) } else { error }
}

pub(crate) fn disk_full(directory: &Path) -> anyhow::Error {
    let free = free_bytes(directory).map_or_else(String::new, |free| {
        format!(" ({} MiB free, a new database needs {NEW_DATABASE_MEBIBYTES})", free >> 20)
    });
    anyhow::anyhow!(
        "the disk of {} is full{free}. Free some space, or use another --data-dir",
        directory.display()
    )
}

fn reports_full_disk(text: &str) -> bool {
    DISK_FULL.iter().any(|words| text.contains(words))
}

fn free_bytes(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fatal_line_is_the_error() {
        let log = "2026-11-21 07:00:00 UTC LOG:  starting\n\
                   2026-11-21 07:00:00 UTC FATAL:  data directory \"/d\" has invalid permissions\n\
                   2026-11-21 07:00:00 UTC DETAIL:  Permissions should be u=rwx (0700).\n\
                   2026-11-21 07:00:00 UTC FATAL:  the database system is starting up\n\n";
        assert_eq!(last(log), Some("data directory \"/d\" has invalid permissions"));
        assert_eq!(last("initdb: error: cannot be run as root\n"), Some("cannot be run as root"));
    }

    #[test]
    fn last_line_is_the_default_error() {
        assert_eq!(last("one\ntwo\n\n"), Some("two"));
        assert_eq!(last("\n"), None);
    }

    #[test]
    fn recognises_a_full_disk() {
        let directory = std::env::temp_dir();
        assert!(is_disk_full("could not write: No space left on device", &directory));
        assert!(is_disk_full(
            "could not extend: wrote only 1 byte\nHINT: Check free disk space.",
            &directory
        ));
        assert!(!is_disk_full("could not write: Permission denied", &directory));
    }
}
