//! A CSV file of series, read row by row.

use super::columns::Columns;
use super::malformed::{Malformed, Problem};
use csv::StringRecord;
use indexmap::IndexMap;
use std::io::{self, Read};

/// The points of each series as they stand in the file, in the order in which the series begin there.
pub(super) type Rows = IndexMap<String, Vec<Point>>;

/// What was measured once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Of which commit, counted from anywhere.
    pub(super) index: i64,
    /// Finite, and above 0.
    pub(super) value: f64,
}

/// Reads all rows.
///
/// # Errors
/// The first thing that is wrong with them.
pub(super) fn read(source: impl Read) -> Result<Rows, Malformed> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let mut source = UnixLines(source);
    // The parser knows a byte order mark only where more comes in one piece with it.
    let mut start = Vec::new();
    source.by_ref().take(MARK.len() as u64).read_to_end(&mut start)?;
    if start == MARK {
        start.clear();
    }
    // The last row ends as all others do.
    let source = start.chain(source).chain(&b"\n"[..]);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(source);
    let mut row = StringRecord::new();
    if !next(&mut reader, &mut row)? {
        return Err(Malformed::Empty);
    }
    let columns = Columns::of(&row).map_err(|problem| problem.at(line(&reader, &row)))?;
    let mut rows = Rows::new();
    while next(&mut reader, &mut row)? {
        let (series, point) = columns.read(&row).map_err(|problem| problem.at(line(&reader, &row)))?;
        match rows.get_mut(series) {
            Some(points) => points.push(point),
            None => _ = rows.insert(series.to_owned(), vec![point]),
        }
    }
    if rows.is_empty() { Err(Malformed::NoRows) } else { Ok(rows) }
}

fn next(reader: &mut csv::Reader<impl Read>, row: &mut StringRecord) -> Result<bool, Malformed> {
    reader.read_record(row).map_err(|error| Problem::from(error).at(line(reader, row)))
}

/// On which line the row begins that was just read. The parser itself names the one on which the row before has ended, and
/// there may be blank ones in between.
fn line(reader: &csv::Reader<impl Read>, row: &StringRecord) -> u64 {
    let within = row.iter().flat_map(str::bytes).filter(|byte| *byte == b'\n').count() as u64;
    reader.position().line().saturating_sub(1 + within).max(1)
}

/// A file without carriage returns, before which the parser would take a row for ended, and not count its line.
struct UnixLines<R>(R);

impl<R: Read> Read for UnixLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(buffer)?;
            let mut kept = 0;
            for at in 0..read {
                if buffer[at] != b'\r' {
                    buffer[kept] = buffer[at];
                    kept += 1;
                }
            }
            // Nothing would mean the end.
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out so many bytes at a time.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(buffer.len());
            (&mut self.0).take(length as u64).read(buffer)
        }
    }

    #[test]
    fn rows_are_the_same_whatever_ends_lines_and_in_whatever_pieces_they_come() {
        let expected = Rows::from([
            ("b, c".to_owned(), vec![Point { index: -5, value: 1.5 }, Point { index: 7, value: 2e-3 }]),
            ("a".to_owned(), vec![Point { index: 7, value: 3.0 }]),
        ]);
        let text = "index,series,value\n-5,\"b, c\",1.5\n\n7,a,3\n7,\"b, c\", 2e-3 ";
        for text in [
            text.to_owned(),
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}\n"),
            format!("\u{feff}{text}\n\n").replace('\n', "\r\n"),
        ] {
            for length in [1, 2, 3, 1_000] {
                let rows = read(Pieces(text.as_bytes(), length)).unwrap();
                assert_eq!(rows, expected, "{text:?} in pieces of {length}");
                assert!(rows.keys().eq(expected.keys()));
            }
        }
    }

    #[test]
    fn a_row_is_told_by_the_line_on_which_it_begins() {
        for (text, line) in [
            ("series,index,value\na,1,1\na,2,x", 3),
            ("series,index,value\na,1,1\n\n\na,2,x\na,3,1\n", 5),
            ("\nseries,index,value\n\"a\nb\",1,1\n\"a\n\nb\",2,x\n", 5),
            ("series,index,value\na,1,1\n\na,2\n", 4),
            ("\n\nseries,index\na,1\n", 3),
        ] {
            for text in [text.to_owned(), text.replace('\n', "\r\n")] {
                let error = read(text.as_bytes()).unwrap_err().to_string();
                assert!(error.starts_with(&format!("line {line}: ")), "{text:?}: {error}");
            }
        }
    }
}
