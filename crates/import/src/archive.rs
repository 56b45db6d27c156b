//! Several files of one run as one file, so that a server stores all of them: a tar archive.

use crate::fault::{SHORT, cut};
use crate::{Error, INPUT_BYTES_MAX};
use std::io;

/// The place and value of the magic number of tar archives.
const MAGIC: (usize, &[u8]) = (257, b"ustar");

/// The most files of an archive: joining takes time for all benchmarks with each file.
const FILES_MAX: usize = 1_000;

fn too_many_files() -> String {
    format!("expected at most {FILES_MAX} files. Import fewer at a time.")
}

/// A file in an archive.
#[derive(Clone, Debug)]
pub(crate) struct File<'a> {
    /// Its path, shortened for messages.
    pub(crate) name: String,
    pub(crate) bytes: &'a [u8],
}

/// Creates an archive of files, each with its name and bytes. The same files always give the same bytes.
///
/// # Errors
/// There are more than 1,000 files, or a name is empty, absolute or contains `..`.
pub fn create<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (index, (name, bytes)) in files.into_iter().enumerate() {
        if index == FILES_MAX {
            return Err(io::Error::other(too_many_files()));
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, bytes)?;
    }
    archive.into_inner()
}

/// The files of an archive; `None` if the bytes are not an archive.
pub(crate) fn files(bytes: &[u8]) -> Result<Option<Vec<File<'_>>>, Error> {
    let (offset, magic) = MAGIC;
    if !bytes.get(offset..).is_some_and(|bytes| bytes.starts_with(magic)) {
        return Ok(None);
    }
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(Error::TooLarge { bytes: bytes.len() });
    }
    let invalid = |error: &dyn std::fmt::Display| Error::Archive { problem: cut(&error.to_string(), SHORT) };
    let mut files = Vec::new();
    let mut archive = tar::Archive::new(bytes);
    for entry in archive.entries().map_err(|error| invalid(&error))? {
        let entry = entry.map_err(|error| invalid(&error))?;
        let name = cut(&String::from_utf8_lossy(&entry.path_bytes()), SHORT);
        match entry.header().entry_type() {
            tar::EntryType::Regular => {}
            tar::EntryType::Directory => continue,
            // A sparse file could be larger than the archive.
            _ => return Err(invalid(&format_args!("{name}: expected a regular file"))),
        }
        if files.len() == FILES_MAX {
            return Err(invalid(&too_many_files()));
        }
        // A slice of the archive, so that reading it takes no memory.
        let place = usize::try_from(entry.raw_file_position()).ok().zip(usize::try_from(entry.size()).ok());
        let contents = place.and_then(|(start, len)| bytes.get(start..start.checked_add(len)?));
        let contents = contents.ok_or_else(|| invalid(&format_args!("{name}: the file is cut")))?;
        files.push(File { name, bytes: contents });
    }
    if files.is_empty() {
        return Err(invalid(&"expected at least one file"));
    }
    Ok(Some(files))
}
