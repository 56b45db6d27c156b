//! From what PostgreSQL's programs write to one sentence for a person.

use std::path::Path;

/// Words for a full disk, in the C locale: the system's, and PostgreSQL's where only a part could be written.
const DISK_FULL: [&str; 2] = ["No space left on device", "Check free disk space"];
/// Less than this is no room to work in. A full disk also swallows the message that says so.
const FREE_BYTES_MIN: u64 = 1 << 20;
/// A new database takes 40 MiB, and as much again for what is written before it is in its place.
const NEW_DATABASE_MEBIBYTES: u64 = 100;

/// What clients are told who come too early; no reason for anything.
const TOO_EARLY: &str = "the database system is starting up";

/// The last line in which a program gave up, without time and severity; or else its last line.
pub(crate) fn last(text: &str) -> Option<&str> {
    let lines =
        || text.lines().rev().map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(TOO_EARLY));
    let complaint = |line: &'_ str| {
        ["FATAL:", "PANIC:", "error:"].iter().find_map(|mark| line.find(mark).map(|at| at + mark.len()))
    };
    lines().find_map(|line| complaint(line).map(|at| line[at..].trim())).or_else(|| lines().next())
}

/// Whether the complaint, or the lack of one, comes from a full disk.
pub(crate) fn is_disk_full(text: &str, directory: &Path) -> bool {
    tells_of_a_full_disk(text) || free_bytes(directory).is_some_and(|free| free < FREE_BYTES_MIN)
}

/// The same error, or the sentence for a full disk if that is what it comes from.
pub(crate) fn explain(error: anyhow::Error, directory: &Path) -> anyhow::Error {
    if tells_of_a_full_disk(&format!("{error:#}")) { disk_full(directory) } else { error }
}

/// The sentence for a full disk.
pub(crate) fn disk_full(directory: &Path) -> anyhow::Error {
    let free = free_bytes(directory).map_or_else(String::new, |free| {
        format!(" ({} MiB are free, a new database needs {NEW_DATABASE_MEBIBYTES})", free >> 20)
    });
    anyhow::anyhow!(
        "the disk that holds {} is full{free}: make room, or choose another place with --data-dir",
        directory.display()
    )
}

fn tells_of_a_full_disk(text: &str) -> bool {
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
    fn the_last_line_that_gives_up_is_the_complaint() {
        let log = "2026-11-21 07:00:00 UTC LOG:  starting\n\
                   2026-11-21 07:00:00 UTC FATAL:  data directory \"/d\" has invalid permissions\n\
                   2026-11-21 07:00:00 UTC DETAIL:  Permissions should be u=rwx (0700).\n\
                   2026-11-21 07:00:00 UTC FATAL:  the database system is starting up\n\n";
        assert_eq!(last(log), Some("data directory \"/d\" has invalid permissions"));
        assert_eq!(last("initdb: error: cannot be run as root\n"), Some("cannot be run as root"));
    }

    #[test]
    fn without_one_the_last_line_is() {
        assert_eq!(last("one\ntwo\n\n"), Some("two"));
        assert_eq!(last("\n"), None);
    }

    #[test]
    fn a_full_disk_is_recognised_by_its_words() {
        let directory = std::env::temp_dir();
        assert!(is_disk_full("could not write: No space left on device", &directory));
        assert!(is_disk_full(
            "could not extend: wrote only 1 byte\nHINT: Check free disk space.",
            &directory
        ));
        assert!(!is_disk_full("could not write: Permission denied", &directory));
    }
}
