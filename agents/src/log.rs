//! The agent's log: one line per event. On standard error, without timestamps because journald adds them; or
//! in a file, with timestamps.

use crate::failure::OnDisk;
use crate::platform;
use chrono::{SecondsFormat, Utc};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug)]
pub(crate) enum Log {
    Standard,
    File(File),
}

impl Log {
    pub(crate) fn open(path: Option<&Path>) -> crate::Result<Self> {
        let Some(path) = path else { return Ok(Self::Standard) };
        if let Some(folder) = path.parent() {
            // If this fails, opening the file reports it.
            let _ = fs::create_dir_all(folder);
        }
        platform::open_private(path).map(Self::File).on_disk(path)
    }

    /// Writes a line, unless it equals the last one.
    pub(crate) fn write_once(&self, last: &mut Option<String>, event: String) {
        if last.as_ref() != Some(&event) {
            self.write(&event);
            *last = Some(event);
        }
    }

    /// Writes a line. Errors are ignored: there is no place to report them.
    pub(crate) fn write(&self, event: &str) {
        let line = event.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = match self {
            Self::Standard => writeln!(io::stderr(), "{line}"),
            // One write, so that lines of two processes do not mix.
            Self::File(file) => {
                let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
                (&*file).write_all(format!("{now} {line}\n").as_bytes())
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_lines_with_timestamps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/agent.log");
        Log::open(Some(&path)).unwrap().write("first");
        Log::open(Some(&path)).unwrap().write("two\n  lines are one");
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<(&str, &str)> = text.lines().map(|line| line.split_once(' ').unwrap()).collect();
        assert_eq!((lines[0].1, lines[1].1), ("first", "two lines are one"));
        for (time, _) in lines {
            assert!(chrono::DateTime::parse_from_rfc3339(time).is_ok(), "{time}");
        }
    }
}
