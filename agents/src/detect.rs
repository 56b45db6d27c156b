//! `roundtrip detect`: where the values of a CSV file change their level, by the one method of `roundtrip_stats`.
//!
//! As JSON: `{"series": [...]}`, each with `name` and `change_points`; of these each has `index`, `before`, `after`,
//! `interval`, `confidence` and `verdict`. Members are only ever added.

use crate::cli::{DetectArguments, Direction, Format};
use crate::comparison::verdict_text;
use crate::failure::Failure;
use crate::format::{count, figure, rounded, signed_percent};
use crate::output;
use comfy_table::{CellAlignment, Table, presets};
use csv::StringRecord;
use indexmap::IndexMap;
use roundtrip_stats::change_point::{InvalidValue, Method, Step};
use roundtrip_wire::Verdict;
use serde::Serialize;
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    series: Vec<Series>,
}

/// One series, and where it changes.
#[derive(Debug, Serialize)]
struct Series {
    name: String,
    /// How many points it has.
    #[serde(skip)]
    points: usize,
    change_points: Vec<ChangePoint>,
}

/// A change that matters.
#[derive(Debug, Serialize)]
struct ChangePoint {
    /// Of the first point of the new level.
    index: i64,
    /// The level before, in the unit of the values.
    before: f64,
    /// The level after.
    after: f64,
    /// From which to which index the new level begins with a probability of 95 %; both included.
    interval: [i64; 2],
    /// One less the probability that values without a change, seen once, are as uneven.
    confidence: f64,
    /// Whether it is for the better.
    verdict: Verdict,
}

/// Runs the verb.
///
/// # Errors
/// A file that is not what it has to be, or standard output that cannot be written.
pub(crate) fn detect(arguments: &DetectArguments) -> crate::Result<()> {
    let DetectArguments { file, direction, format } = arguments;
    let series = read(file)?.into_iter().map(|(name, points)| search(name, points, *direction));
    let series = series.collect::<Result<_, _>>().map_err(|error| Failure::Other(error.to_string()))?;
    match format {
        Format::Json => output::print_json(&Answer { series }),
        Format::Human => output::print(&render(&series, *direction)),
    }
}

/// Reads a file; `-` is standard input.
fn read(path: &Path) -> crate::Result<Rows> {
    let (name, read) = if path == Path::new("-") {
        ("standard input".into(), read_values(io::stdin().lock()))
    } else {
        (path.to_string_lossy(), File::open(path).map_err(Malformed::from).and_then(read_values))
    };
    read.map_err(|error| {
        Failure::Usage(match error {
            Malformed::Unreadable(error) => format!("cannot read {name}: {error}"),
            error => format!("{name}: {error}"),
        })
    })
}

fn search(name: String, mut points: Vec<Point>, direction: Direction) -> Result<Series, InvalidValue> {
    points.sort_by_key(|point| point.index);
    let mut detector = Method::shipped().detector();
    let mut change_points = Vec::new();
    let mut previous = None;
    for point in &points {
        // Of one commit several values may be measured: it has one level.
        let may_change = previous.replace(point.index) != Some(point.index);
        let step = detector.push(point.value, may_change)?;
        change_points
            .extend(step.filter(|step| step.matters).map(|step| change_point(&step, &points, direction)));
    }
    Ok(Series { name, points: points.len(), change_points })
}

fn change_point(step: &Step, points: &[Point], direction: Direction) -> ChangePoint {
    let is_better = match direction {
        Direction::Lower => step.after < step.before,
        Direction::Higher => step.after > step.before,
    };
    ChangePoint {
        index: points[step.index].index,
        before: rounded(step.before),
        after: rounded(step.after),
        interval: step.interval.map(|at| points[at].index),
        confidence: step.confidence,
        verdict: if is_better { Verdict::Improved } else { Verdict::Regressed },
    }
}

// Where in a row its cells are, and what they have to be.

/// The columns that are read, by their place.
#[derive(Clone, Copy, Debug)]
struct Columns {
    series: usize,
    index: usize,
    value: usize,
}

impl Columns {
    /// # Errors
    /// The header lacks one, or has several of that name.
    fn of(header: &StringRecord) -> Result<Self, Problem> {
        let find = |name: &str| {
            let mut found = header.iter().enumerate().filter(|(_, column)| column.trim() == name);
            let problem = match (found.next(), found.next()) {
                (Some((place, _)), None) => return Ok(place),
                (None, _) => "no column",
                (Some(_), Some(_)) => "several columns",
            };
            Err(Problem::Unexpected {
                found: format!("the header has {problem} `{name}`, it is {}", listed(header)),
                expected: "the columns `series`, `index` and `value`".into(),
            })
        };
        Ok(Self { series: find("series")?, index: find("index")?, value: find("value")? })
    }

    /// The name of the series, and the point.
    ///
    /// # Errors
    /// A cell is not what it has to be.
    fn read(self, row: &StringRecord) -> Result<(&str, Point), Problem> {
        let cell = |place| row.get(place).unwrap_or_default();
        let series = cell(self.series);
        if series.is_empty() {
            return Err(unexpected("`series`", series, "the name of a series"));
        }
        let [index, value] = [self.index, self.value].map(|place| cell(place).trim());
        let of_series = |column: &str| format!("`{column}` of series {}", clipped(series));
        let is_measured = |value: &f64| value.is_finite() && *value > 0.0;
        Ok((
            series,
            Point {
                index: index.parse().map_err(|_| unexpected(&of_series("index"), index, "a whole number"))?,
                value: value
                    .parse()
                    .ok()
                    .filter(is_measured)
                    .ok_or_else(|| unexpected(&of_series("value"), value, "a finite number above 0"))?,
            },
        ))
    }
}

fn unexpected(what: &str, text: &str, expected: &str) -> Problem {
    let found =
        if text.is_empty() { format!("{what} is missing") } else { format!("{what} is {}", clipped(text)) };
    Problem::Unexpected { found, expected: expected.into() }
}

/// The columns that there are, unless they are many.
fn listed(header: &StringRecord) -> String {
    const COLUMNS_MAX: usize = 10;
    let mut names: Vec<String> =
        header.iter().take(COLUMNS_MAX).map(|column| clipped(column).to_string()).collect();
    if header.len() > COLUMNS_MAX {
        names.push(format!("and {} more", header.len() - COLUMNS_MAX));
    }
    names.join(", ")
}

// Why a file cannot be taken in.

/// In a sentence for the person who reads it; the name of the file comes before it.
#[derive(Debug, thiserror::Error)]
enum Malformed {
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    #[error(
        "nothing is in it: expected a header with the columns `series`, `index` and `value`, and rows below it"
    )]
    Empty,
    #[error("no row is below the header: expected a row for each value")]
    NoRows,
    #[error("line {line}: {found}: expected {expected}")]
    At { line: u64, found: String, expected: String },
}

/// The same of a row whose line is not known yet.
#[derive(Debug)]
enum Problem {
    Unreadable(io::Error),
    Unexpected { found: String, expected: String },
}

impl Problem {
    fn at(self, line: u64) -> Malformed {
        match self {
            Self::Unreadable(error) => Malformed::Unreadable(error),
            Self::Unexpected { found, expected } => Malformed::At { line, found, expected },
        }
    }
}

impl From<csv::Error> for Problem {
    fn from(error: csv::Error) -> Self {
        let told = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Utf8 { err, .. } => Self::Unexpected {
                found: format!("cell {} is not UTF-8", err.field() + 1),
                expected: "text in UTF-8".into(),
            },
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => Self::Unexpected {
                found: format!("the row has {len} {}", if len == 1 { "cell" } else { "cells" }),
                expected: format!("{expected_len}, as the header has"),
            },
            csv::ErrorKind::Io(error) => Self::Unreadable(error),
            _ => Self::Unreadable(io::Error::other(told)),
        }
    }
}

/// A text of the file as it can be printed: its beginning in quotes, special characters by their codes.
fn clipped(text: &str) -> impl fmt::Display {
    const CHARACTERS_MAX: usize = 40;
    let beginning: String = text.chars().take(CHARACTERS_MAX).collect();
    let end = if beginning.len() < text.len() { "…" } else { "" };
    format!("{beginning:?}{end}")
}

// A CSV file of series, read row by row.

/// The points of each series as they stand in the file, in the order in which the series begin there.
type Rows = IndexMap<String, Vec<Point>>;

/// What was measured once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    /// Of which commit, counted from anywhere.
    index: i64,
    /// Finite, and above 0.
    value: f64,
}

/// Reads all rows.
///
/// # Errors
/// The first thing that is wrong with them.
fn read_values(source: impl Read) -> Result<Rows, Malformed> {
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

// Changes for people: a table for each series that has some, a line for each that has none, and a sentence.

/// The last column is of words.
const HEADER: [&str; 6] = ["index", "95 % interval", "before", "after", "change", "verdict"];

/// All series.
fn render(series: &[Series], direction: Direction) -> String {
    let mut text = String::new();
    let mut has_table = false;
    for one in series {
        let had_table = std::mem::replace(&mut has_table, !one.change_points.is_empty());
        if !text.is_empty() && (had_table || has_table) {
            text.push('\n');
        }
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{}: {}", printable(&one.name), outcome(one));
        if has_table {
            let _ = writeln!(text, "{}", table(&one.change_points));
        }
    }
    text + "\n" + &sentence(series, direction)
}

fn outcome(series: &Series) -> String {
    let points = counted(series.points, "point");
    let least = 2 * Method::shipped().settings().persistence;
    match series.change_points.len() {
        0 if series.points < least => format!("{points}, too few to tell: a change takes {least} or more"),
        0 => format!("{points}, no change"),
        changes => format!("{points}, {}", counted(changes, "change")),
    }
}

fn table(changes: &[ChangePoint]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(HEADER);
    for change in changes {
        let ChangePoint { index, before, after, interval: [first, last], .. } = *change;
        table.add_row([
            index.to_string(),
            if first == last { first.to_string() } else { format!("{first} to {last}") },
            figure(before),
            figure(after),
            signed_percent(after / before - 1.0),
            verdict_text(change.verdict),
        ]);
    }
    for column in table.column_iter_mut().take(HEADER.len() - 1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// How many of which, and how to read it.
fn sentence(series: &[Series], direction: Direction) -> String {
    let number = |verdict: Verdict| {
        series.iter().flat_map(|one| &one.change_points).filter(|change| change.verdict == verdict).count()
    };
    let [regressed, improved] = [Verdict::Regressed, Verdict::Improved].map(number);
    let all = regressed + improved;
    let sum = format!("{} series, {}", count(series.len() as u64), counted(all, "change"));
    if all == 0 {
        return format!("{sum}.");
    }
    let better = match direction {
        Direction::Lower => "lower",
        Direction::Higher => "higher",
    };
    format!(
        "{sum}: {} regressed, {} improved.\nA new level begins at its index, and with 95 % probability within the \
         interval.\nValues are better when {better}.",
        count(regressed as u64),
        count(improved as u64)
    )
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number as u64))
}

/// A name that does nothing to the terminal.
fn printable(name: &str) -> String {
    if name.chars().any(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
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
                let rows = read_values(Pieces(text.as_bytes(), length)).unwrap();
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
                let error = read_values(text.as_bytes()).unwrap_err().to_string();
                assert!(error.starts_with(&format!("line {line}: ")), "{text:?}: {error}");
            }
        }
    }
}
