//! The members of a backup, in their order: the manifest, the parts of each table, the checksums. Written and read from
//! beginning to end, in one go and in little memory.

use super::Size;
use super::manifest::{Checksum, Checksums, Manifest};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

const MANIFEST: &str = "manifest.json";
const CHECKSUMS: &str = "checksums.json";
/// More than the manifest of any database of ours takes.
const JSON_BYTES_MAX: u64 = 16 << 20;
/// A part is read in pieces of this size, however large somebody made it.
const PIECE_BYTES: usize = 1 << 20;

/// A backup that is being written.
pub(crate) struct Writer<W: Write> {
    tar: tar::Builder<zstd::Encoder<'static, W>>,
    manifest: Manifest,
    /// Those of the tables that are done.
    checksums: Checksums,
    /// Of the table whose turn it is.
    current: Running,
    modified_at_seconds: u64,
}

#[derive(Default)]
struct Running {
    sha256: Sha256,
    byte_count: u64,
    part_count: usize,
}

impl<W: Write> Writer<W> {
    /// Begins with the manifest.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn new(output: W, manifest: Manifest) -> Result<Self> {
        let mut encoder = zstd::Encoder::new(output, zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        // One beside this thread, which hashes.
        encoder.multithread(1)?;
        let modified_at_seconds = u64::try_from(manifest.created_at.timestamp()).unwrap_or(0);
        let tar = tar::Builder::new(encoder);
        let (checksums, current) = (Checksums::default(), Running::default());
        let mut writer = Self { tar, manifest, checksums, current, modified_at_seconds };
        writer.json(MANIFEST, &writer.manifest.clone())?;
        Ok(writer)
    }

    /// Adds the next part of the table whose turn it is.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn part(&mut self, bytes: &[u8]) -> Result<()> {
        let table = self.manifest.tables.get(self.checksums.tables.len()).context("more than all tables")?;
        let path = part_path(&table.name, self.current.part_count);
        self.current.add(bytes);
        self.current.part_count += 1;
        self.member(&path, bytes)
    }

    /// All parts of the table whose turn it is were added.
    ///
    /// # Errors
    /// There is no such table.
    pub(crate) fn end_table(&mut self, row_count: u64) -> Result<()> {
        let table = self.manifest.tables.get(self.checksums.tables.len()).context("more than all tables")?;
        let checksum = std::mem::take(&mut self.current).checksum(&table.name, row_count);
        self.checksums.tables.push(checksum);
        Ok(())
    }

    /// Ends with the checksums, and gives the output back.
    ///
    /// # Errors
    /// A table is missing, or something cannot be written.
    pub(crate) fn finish(mut self) -> Result<(W, Size)> {
        ensure!(self.checksums.tables.len() == self.manifest.tables.len(), "the backup lacks tables");
        let checksums = self.checksums.clone();
        self.json(CHECKSUMS, &checksums)?;
        let output = self.tar.into_inner()?.finish()?;
        Ok((output, size(&checksums)))
    }

    fn json(&mut self, path: &str, value: &impl Serialize) -> Result<()> {
        let mut json = serde_json::to_vec_pretty(value)?;
        json.push(b'\n');
        self.member(path, &json)
    }

    fn member(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(u64::try_from(bytes.len())?);
        header.set_mode(0o600);
        header.set_mtime(self.modified_at_seconds);
        self.tar.append_data(&mut header, path, bytes)?;
        Ok(())
    }
}

/// What is found in a backup, in this order: the manifest, and for each table its pieces and its end; then the checksums,
/// which have been compared with what was read.
#[derive(Debug)]
pub(crate) enum Found {
    Manifest(Manifest),
    Piece(Vec<u8>),
    TableEnd,
    End(Checksums),
}

/// Reads a backup to its end, and hands on what is found, as long as somebody takes it.
///
/// # Errors
/// It is no backup, or not as it was written. What was handed on before must not be kept then.
pub(crate) fn read(input: impl Read, mut take: impl FnMut(Found) -> Result<()>) -> Result<()> {
    let decoder = zstd::Decoder::new(input).context("it is no backup")?;
    let mut tar = tar::Archive::new(decoder);
    let checksums = read_members(&mut tar, &mut take)?;
    // The end of the tar is not the end of what is compressed, and only there it is known to be whole.
    let mut rest = tar.into_inner();
    let mut piece = [0; 4096];
    loop {
        match rest.read(&mut piece).context("it is cut or damaged")? {
            0 => return take(Found::End(checksums)),
            read if piece[..read].iter().all(|byte| *byte == 0) => {}
            _ => bail!("it goes on after its end"),
        }
    }
}

fn read_members<R: Read>(
    tar: &mut tar::Archive<R>,
    take: &mut impl FnMut(Found) -> Result<()>,
) -> Result<Checksums> {
    let mut members = tar.entries().context("it is no backup")?;
    let mut first = members.next().context("it is empty")?.context("it is no backup")?;
    ensure!(path(&first)? == MANIFEST, "it is no backup: its first member is not {MANIFEST}");
    let manifest: Manifest = json(&mut first)?;
    let names: Vec<String> = manifest.tables.iter().map(|table| table.name.clone()).collect();
    take(Found::Manifest(manifest))?;
    drop(first);
    let mut next = move || members.next().transpose().context("it is cut or damaged");
    let mut member = next()?;
    let mut read = Checksums::default();
    for name in names {
        let mut running = Running::default();
        while let Some(part) = &mut member {
            if path(part)? != part_path(&name, running.part_count) {
                break;
            }
            loop {
                let mut piece = Vec::with_capacity(PIECE_BYTES);
                let limit = u64::try_from(PIECE_BYTES)?;
                part.take(limit).read_to_end(&mut piece).context("it is cut or damaged")?;
                if piece.is_empty() {
                    break;
                }
                running.add(&piece);
                take(Found::Piece(piece))?;
            }
            running.part_count += 1;
            member = next()?;
        }
        // How many rows there were only the database knows.
        read.tables.push(running.checksum(&name, 0));
        take(Found::TableEnd)?;
    }
    let mut last = member.context("it is cut: its last member is missing")?;
    ensure!(
        path(&last)? == CHECKSUMS,
        "it is damaged: {} stands where {CHECKSUMS} is expected",
        path(&last)?
    );
    let stated: Checksums = json(&mut last)?;
    drop(last);
    for (stated, read) in stated.tables.iter().zip(&mut read.tables) {
        read.row_count = stated.row_count;
        ensure!(stated == read, "it is damaged: the rows of {} are not those that were written", read.name);
    }
    ensure!(stated.tables.len() == read.tables.len(), "it is damaged: it states other tables than it has");
    ensure!(next()?.is_none(), "it goes on after its end");
    Ok(stated)
}

/// How much there is in all tables.
pub(crate) fn size(checksums: &Checksums) -> Size {
    Size {
        table_count: checksums.tables.len(),
        row_count: checksums.tables.iter().map(|table| table.row_count).sum(),
        byte_count: checksums.tables.iter().map(|table| table.byte_count).sum(),
    }
}

impl Running {
    fn add(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        self.byte_count += bytes.len() as u64;
    }

    fn checksum(self, name: &str, row_count: u64) -> Checksum {
        let sha256 = hex::encode(self.sha256.finalize());
        Checksum { name: name.to_owned(), row_count, byte_count: self.byte_count, sha256 }
    }
}

fn part_path(table: &str, part: usize) -> String {
    format!("tables/{table}/{part:08}")
}

fn path<R: Read>(member: &tar::Entry<'_, R>) -> Result<String> {
    let path = member.path().context("it is damaged")?;
    Ok(path.to_string_lossy().into_owned())
}

fn json<T: DeserializeOwned>(member: &mut impl Read) -> Result<T> {
    let mut text = Vec::new();
    member.take(JSON_BYTES_MAX).read_to_end(&mut text).context("it is cut or damaged")?;
    serde_json::from_slice(&text).context("it is damaged")
}

#[cfg(test)]
mod tests {
    use super::super::manifest::TableRows;
    use super::*;

    fn manifest() -> Manifest {
        let table = |name: &str| TableRows { name: name.into(), columns: vec!["a".into()] };
        Manifest { tables: vec![table("one"), table("two")], ..Manifest::new(&[], vec![1]) }
    }

    fn written() -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), manifest()).unwrap();
        writer.part(&[1; 100]).unwrap();
        writer.part(&vec![2; PIECE_BYTES + 1]).unwrap();
        writer.end_table(7).unwrap();
        writer.part(b"two").unwrap();
        writer.end_table(1).unwrap();
        writer.finish().unwrap().0
    }

    fn all(bytes: &[u8]) -> Result<(Vec<Vec<u8>>, Option<Checksums>)> {
        let (mut tables, mut end) = (vec![Vec::new()], None);
        read(bytes, |found| {
            match found {
                Found::Manifest(_) => {}
                Found::Piece(piece) => tables.last_mut().unwrap().extend(piece),
                Found::TableEnd => tables.push(Vec::new()),
                Found::End(checksums) => end = Some(checksums),
            }
            Ok(())
        })?;
        Ok((tables, end))
    }

    #[test]
    fn what_was_written_is_read_again() {
        let (tables, end) = all(&written()).unwrap();
        assert_eq!(tables[0], [vec![1; 100], vec![2; PIECE_BYTES + 1]].concat());
        assert_eq!(tables[1], b"two");
        assert_eq!(end.unwrap().tables[0].row_count, 7);
    }

    #[test]
    fn a_backup_that_is_cut_anywhere_is_refused() {
        let whole = written();
        for length in 0..whole.len() {
            let mut has_ended = false;
            let error = read(&whole[..length], |found| {
                has_ended |= matches!(found, Found::End(_));
                Ok(())
            })
            .unwrap_err();
            assert!(error.to_string().starts_with("it is") && !has_ended, "{length}: {error}");
        }
    }

    #[test]
    fn a_backup_with_any_byte_changed_is_refused_unless_the_byte_means_nothing() {
        let whole = written();
        let (tables, _) = all(&whole).unwrap();
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 0x10;
            // One bit of a frame's header is not used.
            if let Ok((read, _)) = all(&changed) {
                assert_eq!(read, tables, "byte {place} of {}", whole.len());
            }
        }
    }

    #[test]
    fn rows_that_were_changed_before_they_were_compressed_are_refused() {
        let mut plain = zstd::decode_all(written().as_slice()).unwrap();
        let rows = plain.windows(100).position(|bytes| bytes == [1; 100]).unwrap();
        plain[rows] = 9;
        let error = all(&zstd::encode_all(plain.as_slice(), 1).unwrap()).unwrap_err();
        assert!(error.to_string().contains("the rows of one"), "{error}");
    }

    #[test]
    fn what_follows_the_end_is_refused() {
        let longer = [written(), zstd::encode_all(&b"more"[..], 1).unwrap()].concat();
        assert!(all(&longer).unwrap_err().to_string().contains("goes on"), "more after the end");
    }
}
