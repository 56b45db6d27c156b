//! Reads the files of other tools, up to the largest accepted size.

use crate::failure::Failure;
use roundtrip_import::INPUT_BYTES_MAX;
use roundtrip_wire::import::FILE_NAME_BYTES_MAX;
use std::io::Read;
use std::path::Path;

/// The file's name and bytes; `-` is standard input.
pub(crate) fn read(path: &Path) -> crate::Result<(String, Vec<u8>)> {
    let failed = |error: std::io::Error| Failure::Usage(format!("cannot read {}: {error}", path.display()));
    if path == Path::new("-") {
        return Ok(("standard-input".into(), read_all(std::io::stdin().lock()).map_err(failed)?));
    }
    let bytes = std::fs::File::open(path).and_then(read_all).map_err(failed)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // The server rejects control characters and long names.
    let name: String = name.chars().filter(|character| !character.is_control()).collect();
    let end = (0..=name.len().min(FILE_NAME_BYTES_MAX)).rev().find(|&end| name.is_char_boundary(end));
    Ok((name[..end.unwrap_or(0)].to_owned(), bytes))
}

/// Reads at most the size limit plus one byte, to detect a file that is too long.
pub(crate) fn read_all(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
