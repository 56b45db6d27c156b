//! `roundtrip export`: points as a Parquet file, from a server or from reports.
//!
//! - [`search`]: the search syntax.  [`server`]: reads matching series and their points, page by page.
//! - [`report`]: the points of local reports.
//! - [`point`]: a row.  [`columns`]: its columns.  [`mod@file`]: the Parquet file.

mod columns;
mod file;
mod point;
mod report;
mod search;
mod server;

use crate::cli::{ExportArguments, ResultsArguments};
use crate::failure::Failure;
use crate::format::{count, counted};
use crate::{output, remote, report_file, spool};
use file::PointFile;
use search::Search;
use server::Reader;
use std::collections::HashSet;
use std::fs::File;

/// The keys of the file's metadata begin with this.
const METADATA_PREFIX: &str = "roundtrip.";

pub(crate) fn export(arguments: &ExportArguments) -> crate::Result<()> {
    let Written { points, series } = spool::write_parts(&arguments.output, |file| {
        if arguments.reports.is_empty() {
            from_server(arguments, file)
        } else {
            from_reports(arguments, file)
        }
    })?;
    let path = arguments.output.display();
    if points == 0 {
        eprintln!("no matching points: {path} has columns, but no rows");
    } else {
        eprintln!("{} of {} series written to {path}", counted(points, "point"), count(series as u64));
    }
    Ok(())
}

/// The number of rows of a file, and of their series.
struct Written {
    points: usize,
    series: usize,
}

fn from_server(arguments: &ExportArguments, file: &mut File) -> crate::Result<Written> {
    let ExportArguments { words, lines, output: path, results, .. } = arguments;
    let ResultsArguments { server, token_file, project } = results;
    let text = words.join(" ");
    let search = Search::parse(&text).map_err(|error| Failure::Usage(error.to_string()))?;
    let project = remote::project(project.as_ref())?;
    let metadata = [
        ("server", server.trim_end_matches('/')),
        ("project", project.as_str()),
        ("search", &text),
        ("lines", lines.name()),
    ];
    let mut file = PointFile::new(file, path, &metadata)?;
    let mut reader = Reader::new(server, token_file.as_deref(), project, *lines)?;
    let bar = output::bar(0, "{spinner:.dim} {msg}");
    let (mut points, mut series) = (0, HashSet::new());
    reader.read(&search, |rows| {
        points += rows.len();
        series.extend(rows.iter().map(|row| row.series.series_id));
        bar.set_message(counted(points, "point"));
        rows.into_iter().try_for_each(|row| file.push(row))
    })?;
    bar.finish_and_clear();
    file.finish()?;
    Ok(Written { points, series: series.len() })
}

fn from_reports(arguments: &ExportArguments, file: &mut File) -> crate::Result<Written> {
    let mut file = PointFile::new(file, &arguments.output, &[])?;
    let (mut points, mut series) = (0, HashSet::new());
    for path in &arguments.reports {
        let report = report_file::read(path)?;
        for row in report::rows(&report).map_err(|error| report::invalid(path, &error))? {
            points += 1;
            series.insert(row.series.digest());
            file.push(row)?;
        }
    }
    file.finish()?;
    Ok(Written { points, series: series.len() })
}
