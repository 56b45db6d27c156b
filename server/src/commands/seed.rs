//! `seed`: creates a project with synthetic history.

use crate::cli::{DataArguments, SeedArguments};
use crate::database::Database;
use crate::shutdown::Shutdown;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use roundtrip_server::seed::{Plan, Written};
use std::time::Instant;

pub(crate) async fn seed(arguments: SeedArguments, data: &DataArguments) -> Result<()> {
    let shutdown = Shutdown::watch(false)?;
    Database::with(Database::join(data), &shutdown, async |database| {
        // A stop signal is not an error. It rolls the transaction back.
        shutdown.unless_requested(fill(database, &arguments)).await.unwrap_or(Ok(()))
    })
    .await
}

async fn fill(database: &Database, arguments: &SeedArguments) -> Result<()> {
    // The conversions cannot fail.
    let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    let project = &arguments.project;
    let plan = Plan {
        project: project.clone(),
        machine_count: count(arguments.machines),
        series_count: count(arguments.series),
        commit_count: count(arguments.commits),
        histogram_count: arguments.histograms.map(count),
        rng_seed: arguments.rng_seed,
    };
    let bar = ProgressBar::new(u64::from(arguments.series) * u64::from(arguments.commits));
    if let Ok(style) = ProgressStyle::with_template("{wide_bar:.dim} {pos}/{len} points  {eta} left") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    let started = Instant::now();
    let written = roundtrip_server::seed::seed(&database.pool, plan, |written| {
        bar.set_position(written.point_count);
    });
    let Written { point_count, histogram_count } = written.await?;
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    crate::print(&format!(
        "{project}: {point_count} synthetic points, {histogram_count} with distributions, in {seconds:.1} s ({:.0} points per second)",
        point_count as f64 / seconds
    ))
}
