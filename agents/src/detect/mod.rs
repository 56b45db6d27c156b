//! `roundtrip detect`: where the values of a CSV file change their level, by the one method of `roundtrip_stats`.
//!
//! As JSON: `{"series": [...]}`, each with `name` and `change_points`; of these each has `index`, `before`, `after`,
//! `interval`, `confidence` and `verdict`. Members are only ever added.
//!
//! - `rows`, `columns`, `malformed`: the file.  `table`: the answer for people.

use crate::cli::{DetectArguments, Direction, Format};
use crate::comparison::Verdict;
use crate::failure::Failure;
use crate::format::rounded;
use crate::output;
use malformed::Malformed;
use roundtrip_stats::change_point::{InvalidValue, Method, Step};
use rows::{Point, Rows};
use serde::Serialize;
use std::fs::File;
use std::io;
use std::path::Path;

mod columns;
mod malformed;
mod rows;
mod table;

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
        Format::Human => output::print(&table::render(&series, *direction)),
    }
}

/// Reads a file; `-` is standard input.
fn read(path: &Path) -> crate::Result<Rows> {
    let (name, read) = if path == Path::new("-") {
        ("standard input".into(), rows::read(io::stdin().lock()))
    } else {
        (path.to_string_lossy(), File::open(path).map_err(Malformed::from).and_then(rows::read))
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
