//! `github`: links repositories of the GitHub App to projects.

use super::columns::columns;
use crate::cli::{DataArguments, GitHubCommand};
use crate::database::Database;
use anyhow::{Context, Result, ensure};
use roundtrip_github::sweep;
use roundtrip_storage::github::installation;
use roundtrip_storage::task;
use roundtrip_wire::Slug;

pub(crate) async fn github(command: GitHubCommand, data: &DataArguments) -> Result<()> {
    let database = Database::join(data).await?;
    let result = match &command {
        GitHubCommand::Repositories => list(&database).await,
        GitHubCommand::Link { repository, project } => link(&database, repository, project).await,
    };
    let result = result.map_err(|error| database.explain(error));
    database.close().await;
    result
}

async fn list(database: &Database) -> Result<()> {
    let rows = installation::linked(&database.pool).await.context("cannot read the database")?;
    let rows: Vec<[String; 2]> =
        rows.into_iter().map(|(full_name, project)| [full_name, project.unwrap_or_default()]).collect();
    crate::print(&columns(["REPOSITORY", "PROJECT"], &rows))
}

async fn link(database: &Database, repository: &str, project: &Slug) -> Result<()> {
    let is_linked = installation::link(&database.pool, repository, project.as_str()).await;
    ensure!(
        is_linked.context("cannot change the database")?,
        "project {project} not found, or the GitHub App has no access to {repository}. See `roundtrip-server github repositories`"
    );
    // Read its open pull requests soon.
    task::make_due(&database.pool, sweep::TASK).await.context("cannot change the database")
}
