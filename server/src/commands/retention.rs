//! `retention`: shows and changes how long projects keep data.

use crate::cli::{DataArguments, Keep, RetentionArguments};
use crate::database::Database;
use anyhow::{Context, Result};
use roundtrip_storage::retention::{self, Policy};

pub(crate) async fn retention(arguments: RetentionArguments, data: &DataArguments) -> Result<()> {
    let database = Database::join(data).await?;
    let result = change_and_show(&database, &arguments).await.map_err(|error| database.explain(error));
    database.close().await;
    result
}

async fn change_and_show(database: &Database, arguments: &RetentionArguments) -> Result<()> {
    let mut policies = retention::policies(&database.pool).await.context("cannot read the database")?;
    if let Some(project) = &arguments.project {
        policies.retain(|policy| policy.project == project.as_str());
        let policy = policies.first_mut().with_context(|| format!("project {project} not found"))?;
        let before = policy.clone();
        for (option, days) in [
            (arguments.uploads, &mut policy.upload_retention_days),
            (arguments.histograms, &mut policy.histogram_retention_days),
            (arguments.points, &mut policy.point_retention_days),
        ] {
            *days = option.map_or(*days, |Keep(days)| days);
        }
        if *policy != before {
            retention::set(&database.pool, policy).await.context("cannot change the project")?;
        }
    }
    policies.iter().try_for_each(|policy| crate::print(&line(policy)))
}

fn line(policy: &Policy) -> String {
    let kept = |days: Option<i32>| days.map_or("forever".to_owned(), |days| format!("{days} days"));
    format!(
        "{}: uploads {}, distributions {}, points {}",
        policy.project,
        kept(policy.upload_retention_days),
        kept(policy.histogram_retention_days),
        kept(policy.point_retention_days)
    )
}
