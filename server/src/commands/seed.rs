//! `seed`: creates a project with synthetic history.

use crate::cli::DataArguments;
use crate::database::Database;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use roundtrip_server::seed::{Plan, Written};
use std::time::Instant;

pub(crate) async fn seed(plan: Plan, data: &DataArguments) -> Result<()> {
    Database::with(Database::join(data), async |database, shutdown| {
        // A stop signal is not an error. It rolls the transaction back.
        shutdown.unless_requested(fill(database, plan)).await.unwrap_or(Ok(()))
    })
    .await
}

async fn fill(database: &Database, plan: Plan) -> Result<()> {
    let project = plan.project.clone();
    let bar = ProgressBar::new(plan.series_count as u64 * plan.commit_count as u64);
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
