//! `roundtrip detect`: finds change points in a CSV file, with the method of `roundtrip_stats`.
//!
//! As JSON: `{"series": [...]}`, each with `name` and `change_points`. Each change point has `index`,
//! `before`, `after`, `interval`, `confidence`, `kind`, `matters` and `verdict`. Members are only ever added.

use crate::cli::{DetectArguments, Direction, Format};
use crate::comparison::verdict_text;
use crate::failure::Failure;
use crate::format::{count, counted, figure, rounded, signed_percent};
use crate::output;
use csv::StringRecord;
use indexmap::IndexMap;
use roundtrip_stats::change_point::{self, InvalidValue, Kind, Method, Settings, Step};
use roundtrip_wire::Verdict;
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    series: Vec<Series>,
}

#[derive(Debug, Serialize)]
struct Series {
    name: String,
    #[serde(skip)]
    points: usize,
    /// All changes, including those that do not matter.
    change_points: Vec<ChangePoint>,
}

#[derive(Debug, Serialize)]
struct ChangePoint {
    /// The index of the first measured commit of the new level.
    index: i64,
    /// The level before, in the unit of the values.
    before: f64,
    after: f64,
    /// The first and last index at which the new level may begin, with a probability of 95 %. The first one follows a
    /// measured commit, because any commit after that may have made the change. A drift begins at the first one.
    interval: [i64; 2],
    /// One minus the probability that values without a change look like this in a single test.
    confidence: f64,
    #[serde(serialize_with = "kind_name")]
    kind: Kind,
    /// False for a change below the threshold, which the output for people leaves out.
    matters: bool,
    verdict: Verdict,
}

fn kind_name<S: Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

pub(crate) fn detect(arguments: &DetectArguments) -> crate::Result<()> {
    let DetectArguments { file, direction, least, format } = arguments;
    let least = least.map(|least| Method::new(Settings { least: [least; 2], ..Settings::default() }));
    let method = least.as_ref().unwrap_or_else(|| Method::shipped());
    let series = read(file)?.into_iter().map(|(name, points)| search(method, name, points, *direction));
    let series = series.collect::<Result<_, _>>().map_err(|error| Failure::Other(error.to_string()))?;
    match format {
        Format::Json => output::print_json(&Answer { series }),
        Format::Human => output::print(&render(&series, *direction)),
    }
}

/// Reads a file; `-` is standard input.
fn read(path: &Path) -> crate::Result<Rows> {
    let (name, bytes) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        ("standard input".into(), io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path.to_string_lossy(), std::fs::read(path))
    };
    let bytes = bytes.map_err(|error| Failure::Usage(format!("cannot read {name}: {error}")))?;
    read_values(bytes).map_err(|wrong| Failure::Usage(format!("{name}: {wrong}")))
}

fn search(
    method: &Method,
    name: String,
    mut points: Vec<Point>,
    direction: Direction,
) -> Result<Series, InvalidValue> {
    points.sort_by_key(|(index, _)| *index);
    let points: Vec<Point> = change_point::one_per_commit(&points).collect();
    let steps = method.detect(points.iter().map(|(_, value)| *value))?;
    let change_points = steps.iter().map(|step| change_point(step, &points, direction)).collect();
    Ok(Series { name, points: points.len(), change_points })
}

fn change_point(step: &Step, points: &[Point], direction: Direction) -> ChangePoint {
    let is_better = match direction {
        Direction::Lower => step.after < step.before,
        Direction::Higher => step.after > step.before,
    };
    let [first, last] = step.interval;
    let begin = match step.kind {
        Kind::Drift => points[first].0,
        // Commits that were not measured can begin the new level too. Every change has points before it.
        Kind::Step | Kind::KnownState => points[first.saturating_sub(1)].0 + 1,
    };
    ChangePoint {
        index: points[step.index].0,
        before: rounded(step.before),
        after: rounded(step.after),
        interval: [begin, points[last].0],
        confidence: step.confidence,
        kind: step.kind,
        matters: step.matters,
        verdict: if is_better { Verdict::Improved } else { Verdict::Regressed },
    }
}

// The columns of a row, and their types.

#[derive(Clone, Copy, Debug)]
struct Columns {
    series: usize,
    index: usize,
    value: usize,
}

impl Columns {
    fn find(header: &StringRecord) -> Result<Self, String> {
        let find = |name: &str| {
            let mut found = header.iter().enumerate().filter(|(_, column)| column.trim() == name);
            let problem = match (found.next(), found.next()) {
                (Some((place, _)), None) => return Ok(place),
                (None, _) => "no column",
                (Some(_), Some(_)) => "several columns",
            };
            Err(format!(
                "the header has {problem} `{name}`: {}: expected the columns `series`, `index` and `value`",
                listed(header)
            ))
        };
        Ok(Self { series: find("series")?, index: find("index")?, value: find("value")? })
    }

    fn read(self, row: &StringRecord) -> Result<(&str, Point), String> {
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
            (
                index.parse().map_err(|_| unexpected(&of_series("index"), index, "a whole number"))?,
                value
                    .parse()
                    .ok()
                    .filter(is_measured)
                    .ok_or_else(|| unexpected(&of_series("value"), value, "a finite number above 0"))?,
            ),
        ))
    }
}

fn unexpected(what: &str, text: &str, expected: &str) -> String {
    let found = if text.is_empty() { "missing".to_owned() } else { clipped(text).to_string() };
    format!("{what} is {found}: expected {expected}")
}

/// The columns of the header, at most ten.
fn listed(header: &StringRecord) -> String {
    const COLUMNS_MAX: usize = 10;
    let mut names: Vec<String> =
        header.iter().take(COLUMNS_MAX).map(|column| clipped(column).to_string()).collect();
    if header.len() > COLUMNS_MAX {
        names.push(format!("and {} more", header.len() - COLUMNS_MAX));
    }
    names.join(", ")
}

fn invalid(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Utf8 { err, .. } => {
            format!("cell {} is not UTF-8: expected text in UTF-8", err.field() + 1)
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let cells = if *len == 1 { "cell" } else { "cells" };
            format!("the row has {len} {cells}: expected {expected_len}, like the header")
        }
        _ => format!("{error}: expected CSV"),
    }
}

/// The beginning of a text, quoted, with escaped special characters.
fn clipped(text: &str) -> impl fmt::Display {
    const CHARACTERS_MAX: usize = 40;
    let beginning: String = text.chars().take(CHARACTERS_MAX).collect();
    let end = if beginning.len() < text.len() { "…" } else { "" };
    format!("{beginning:?}{end}")
}

// A CSV file of series, read row by row.

/// The points of each series in the order of the file.
type Rows = IndexMap<String, Vec<Point>>;

/// The commit's number, from any start, and a finite value above 0.
type Point = (i64, f64);

fn read_values(mut bytes: Vec<u8>) -> Result<Rows, String> {
    // The parser would end a row at a carriage return without counting the line.
    bytes.retain(|byte| *byte != b'\r');
    // Terminate the last row like all others.
    bytes.push(b'\n');
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    let mut row = StringRecord::new();
    if !next(&mut reader, &mut row)? {
        return Err("the file is empty: expected a header with the columns `series`, `index` and `value`, \
            then rows"
            .into());
    }
    let columns = Columns::find(&row).map_err(|wrong| at(&reader, &row, &wrong))?;
    let mut rows = Rows::new();
    while next(&mut reader, &mut row)? {
        let (series, point) = columns.read(&row).map_err(|wrong| at(&reader, &row, &wrong))?;
        match rows.get_mut(series) {
            Some(points) => points.push(point),
            None => _ = rows.insert(series.to_owned(), vec![point]),
        }
    }
    if rows.is_empty() {
        return Err("no rows below the header: expected one row for each value".into());
    }
    Ok(rows)
}

fn next(reader: &mut csv::Reader<&[u8]>, row: &mut StringRecord) -> Result<bool, String> {
    reader.read_record(row).map_err(|error| at(reader, row, &invalid(&error)))
}

/// A problem with the line on which the last row read begins. The parser reports the end of the row before
/// it, and blank lines may follow that.
fn at(reader: &csv::Reader<&[u8]>, row: &StringRecord, problem: &str) -> String {
    let within = row.iter().flat_map(str::bytes).filter(|byte| *byte == b'\n').count() as u64;
    format!("line {}: {problem}", reader.position().line().saturating_sub(1 + within).max(1))
}

// The output for people: a table for each series with changes, a line for each other, and a summary.

const HEADER: [&str; 6] = ["index", "95 % interval", "before", "after", "change", "verdict"];

impl Series {
    /// The changes that matter.
    fn listed(&self) -> impl Iterator<Item = &ChangePoint> {
        self.change_points.iter().filter(|change| change.matters)
    }
}

fn render(series: &[Series], direction: Direction) -> String {
    let mut text = String::new();
    let mut has_table = false;
    for one in series {
        let had_table = std::mem::replace(&mut has_table, one.listed().next().is_some());
        if !text.is_empty() && (had_table || has_table) {
            text.push('\n');
        }
        text.push_str(&format!("{}: {}\n", printable(&one.name), outcome(one)));
        if has_table {
            text.push_str(&format!("{}\n", table(one.listed())));
        }
    }
    text + "\n" + &summary(series, direction)
}

fn outcome(series: &Series) -> String {
    let points = counted(series.points, "point");
    let least = 2 * Method::shipped().settings().persistence;
    let changes = series.listed().count();
    let small = series.change_points.len() - changes;
    match changes {
        0 if series.points < least => format!("{points}, too few to find a change: needs at least {least}"),
        0 if small == 0 => format!("{points}, no change"),
        0 => format!("{points}, {}", counted(small, "small change")),
        _ if small == 0 => format!("{points}, {}", counted(changes, "change")),
        _ => format!("{points}, {}, {small} small", counted(changes, "change")),
    }
}

fn table<'a>(changes: impl Iterator<Item = &'a ChangePoint>) -> String {
    let row = |change: &ChangePoint| {
        let ChangePoint { index, before, after, interval: [first, last], .. } = *change;
        [
            index.to_string(),
            match change.kind {
                Kind::Drift => format!("since {first}"),
                _ if first == last => first.to_string(),
                _ => format!("{first} to {last}"),
            },
            figure(before),
            figure(after),
            signed_percent(after / before - 1.0),
            match change.kind {
                Kind::Step => verdict_text(change.verdict),
                Kind::Drift => format!("{}, drift", verdict_text(change.verdict)),
                Kind::KnownState => "known state".into(),
            },
        ]
    };
    output::table(HEADER, changes.map(row), |place| place < HEADER.len() - 1)
}

/// The numbers of changes, and a legend for what the tables show.
fn summary(series: &[Series], direction: Direction) -> String {
    let all: Vec<&ChangePoint> = series.iter().flat_map(|one| &one.change_points).collect();
    let count_of =
        |is_counted: &dyn Fn(&ChangePoint) -> bool| all.iter().filter(|change| is_counted(change)).count();
    let known = count_of(&|change| change.matters && change.kind == Kind::KnownState);
    let verdicts = [Verdict::Regressed, Verdict::Improved].map(|verdict| {
        count_of(&|change| change.matters && change.kind != Kind::KnownState && change.verdict == verdict)
            as u64
    });
    let listed = count_of(&|change| change.matters);
    let mut text = format!("{} series, {}", count(series.len() as u64), counted(listed, "change"));
    if listed == 0 {
        text.push('.');
    } else {
        let better = match direction {
            Direction::Lower => "lower",
            Direction::Higher => "higher",
        };
        let [regressed, improved] = verdicts.map(count);
        let known = if known == 0 { String::new() } else { format!(", {}", counted(known, "known state")) };
        text.push_str(&format!(
            ": {regressed} regressed, {improved} improved{known} ({better} is better).\n\
             `index` is the first measured commit of the new level, which begins in the interval with 95 % probability."
        ));
    }
    if all.iter().any(|change| change.matters && change.kind == Kind::Drift) {
        text.push_str("\nA drift is many small changes that add up since the given index.");
    }
    if known > 0 {
        text.push_str(
            "\nA known state is a return to a level of the series that it had at least twice before.",
        );
    }
    match count_of(&|change| !change.matters) {
        0 => {}
        1 => text.push_str("\n1 small change is not listed. `--least 0` lists it."),
        small => text.push_str(&format!("\n{small} small changes are not listed. `--least 0` lists them.")),
    }
    text
}

/// A name without terminal control characters.
fn printable(name: &str) -> String {
    if name.chars().any(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_all_line_endings() {
        let expected =
            Rows::from([("b, c".to_owned(), vec![(-5, 1.5), (7, 2e-3)]), ("a".to_owned(), vec![(7, 3.0)])]);
        let text = "index,series,value\n-5,\"b, c\",1.5\n\n7,a,3\n7,\"b, c\", 2e-3 ";
        for text in [
            text.to_owned(),
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}\n"),
            format!("\u{feff}{text}\n\n").replace('\n', "\r\n"),
        ] {
            let rows = read_values(text.clone().into()).unwrap();
            assert_eq!(rows, expected, "{text:?}");
            assert!(rows.keys().eq(expected.keys()));
        }
    }

    #[test]
    fn reports_the_first_line_of_a_row() {
        for (text, line) in [
            ("series,index,value\na,1,1\na,2,x", 3),
            ("series,index,value\na,1,1\n\n\na,2,x\na,3,1\n", 5),
            ("\nseries,index,value\n\"a\nb\",1,1\n\"a\n\nb\",2,x\n", 5),
            ("series,index,value\na,1,1\n\na,2\n", 4),
            ("\n\nseries,index\na,1\n", 3),
        ] {
            for text in [text.to_owned(), text.replace('\n', "\r\n")] {
                let error = read_values(text.clone().into()).unwrap_err();
                assert!(error.starts_with(&format!("line {line}: ")), "{text:?}: {error}");
            }
        }
    }
}
