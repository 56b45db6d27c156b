//! The members of a backup, in order: the manifest, the parts of each table, the checksums. They are written and read
//! as a stream, with little memory.

use super::Size;
use super::manifest::{Checksum, Checksums, Manifest};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

const MANIFEST: &str = "manifest.json";
const CHECKSUMS: &str = "checksums.json";
/// The maximum size of a JSON member, more than any manifest needs.
const JSON_BYTES_MAX: u64 = 16 << 20;
/// Parts are read in pieces of this size, regardless of the size in their header.
const PIECE_BYTES: usize = 1 << 20;

pub(crate) struct Writer<W: Write> {
    tar: tar::Builder<zstd::Encoder<'static, W>>,
    manifest: Manifest,
    /// The checksums of finished tables.
    checksums: Checksums,
    /// The checksum of the current table.
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
    /// Starts a backup with its manifest.
    pub(crate) fn new(output: W, manifest: Manifest) -> Result<Self> {
        let mut encoder = zstd::Encoder::new(output, zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        // One compression thread. This thread computes checksums.
        encoder.multithread(1)?;
        let modified_at_seconds = u64::try_from(manifest.created_at.timestamp()).unwrap_or(0);
        let tar = tar::Builder::new(encoder);
        let (checksums, current) = (Checksums::default(), Running::default());
        let mut writer = Self { tar, manifest, checksums, current, modified_at_seconds };
        writer.json(MANIFEST, &writer.manifest.clone())?;
        Ok(writer)
    }

    /// Adds the next part of the current table.
    pub(crate) fn part(&mut self, bytes: &[u8]) -> Result<()> {
        let table = self.manifest.tables.get(self.checksums.tables.len()).context("unexpected table")?;
        let path = part_path(&table.name, self.current.part_count);
        self.current.add(bytes);
        self.current.part_count += 1;
        self.member(&path, bytes)
    }

    pub(crate) fn end_table(&mut self, row_count: u64) -> Result<()> {
        let table = self.manifest.tables.get(self.checksums.tables.len()).context("unexpected table")?;
        let checksum = std::mem::take(&mut self.current).checksum(&table.name, row_count);
        self.checksums.tables.push(checksum);
        Ok(())
    }

    /// Ends the backup with its checksums and returns the output.
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

/// An item of a backup, in this order: the manifest, the pieces and the end of each table, and the verified
/// checksums.
#[derive(Debug)]
pub(crate) enum Item {
    Manifest(Manifest),
    Piece(Vec<u8>),
    TableEnd,
    End(Checksums),
}

/// Reads a backup to its end and passes on its contents, while the receiver accepts them.
/// Fails if the input is not a backup, or is damaged. The receiver must then discard everything.
pub(crate) fn read(input: impl Read, mut take: impl FnMut(Item) -> Result<()>) -> Result<()> {
    let decoder = zstd::Decoder::new(input).context("not a backup")?;
    let mut tar = tar::Archive::new(decoder);
    let checksums = read_members(&mut tar, &mut take)?;
    // The compressed stream must be read to its end to check that it is complete.
    let mut rest = tar.into_inner();
    let mut piece = [0; 4096];
    loop {
        match rest.read(&mut piece).context("the file is truncated or damaged")? {
            0 => return take(Item::End(checksums)),
            read if piece[..read].iter().all(|byte| *byte == 0) => {}
            _ => bail!("unexpected data after the end"),
        }
    }
}

fn read_members<R: Read>(
    tar: &mut tar::Archive<R>,
    take: &mut impl FnMut(Item) -> Result<()>,
) -> Result<Checksums> {
    let mut members = tar.entries().context("not a backup")?;
    let mut first = members.next().context("the file is empty")?.context("not a backup")?;
    ensure!(path(&first)? == MANIFEST, "not a backup: the first entry is not {MANIFEST}");
    let manifest: Manifest = json(&mut first)?;
    let names: Vec<String> = manifest.tables.iter().map(|table| table.name.clone()).collect();
    take(Item::Manifest(manifest))?;
    drop(first);
    let mut next = move || members.next().transpose().context("the file is truncated or damaged");
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
                part.take(limit).read_to_end(&mut piece).context("the file is truncated or damaged")?;
                if piece.is_empty() {
                    break;
                }
                running.add(&piece);
                take(Item::Piece(piece))?;
            }
            running.part_count += 1;
            member = next()?;
        }
        // Only the database knows the number of rows.
        read.tables.push(running.checksum(&name, 0));
        take(Item::TableEnd)?;
    }
    let mut last = member.context("the file is truncated: its last entry is missing")?;
    ensure!(path(&last)? == CHECKSUMS, "the file is damaged: found {}, expected {CHECKSUMS}", path(&last)?);
    let stated: Checksums = json(&mut last)?;
    drop(last);
    for (stated, read) in stated.tables.iter().zip(&mut read.tables) {
        read.row_count = stated.row_count;
        ensure!(stated == read, "the file is damaged: wrong checksum for the rows of {}", read.name);
    }
    ensure!(
        stated.tables.len() == read.tables.len(),
        "the file is damaged: its list of tables does not match"
    );
    ensure!(next()?.is_none(), "unexpected data after the end");
    Ok(stated)
}

/// The size of all tables together.
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
    let path = member.path().context("the file is damaged")?;
    Ok(path.to_string_lossy().into_owned())
}

fn json<T: DeserializeOwned>(member: &mut impl Read) -> Result<T> {
    let mut text = Vec::new();
    member.take(JSON_BYTES_MAX).read_to_end(&mut text).context("the file is truncated or damaged")?;
    serde_json::from_slice(&text).context("the file is damaged")
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
                Item::Manifest(_) => {}
                Item::Piece(piece) => tables.last_mut().unwrap().extend(piece),
                Item::TableEnd => tables.push(Vec::new()),
                Item::End(checksums) => end = Some(checksums),
            }
            Ok(())
        })?;
        Ok((tables, end))
    }

    #[test]
    fn reads_its_own_output() {
        let (tables, end) = all(&written()).unwrap();
        assert_eq!(tables[0], [vec![1; 100], vec![2; PIECE_BYTES + 1]].concat());
        assert_eq!(tables[1], b"two");
        assert_eq!(end.unwrap().tables[0].row_count, 7);
    }

    #[test]
    fn rejects_truncated_backups() {
        let whole = written();
        for length in 0..whole.len() {
            let mut has_ended = false;
            let error = read(&whole[..length], |found| {
                has_ended |= matches!(found, Item::End(_));
                Ok(())
            })
            .unwrap_err();
            let is_refused =
                ["not a backup", "the file is"].iter().any(|text| error.to_string().starts_with(text));
            assert!(is_refused && !has_ended, "{length}: {error}");
        }
    }

    #[test]
    fn changed_bytes_are_rejected_or_harmless() {
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
    fn rejects_rows_changed_before_compression() {
        let mut plain = zstd::decode_all(written().as_slice()).unwrap();
        let rows = plain.windows(100).position(|bytes| bytes == [1; 100]).unwrap();
        plain[rows] = 9;
        let error = all(&zstd::encode_all(plain.as_slice(), 1).unwrap()).unwrap_err();
        assert!(error.to_string().contains("the rows of one"), "{error}");
    }

    #[test]
    fn rejects_trailing_data() {
        let longer = [written(), zstd::encode_all(&b"more"[..], 1).unwrap()].concat();
        assert!(
            all(&longer).unwrap_err().to_string().contains("unexpected data after the end"),
            "more after the end"
        );
    }
}
