//! `github`: links repositories of the GitHub App to projects.

use super::columns::columns;
use crate::cli::{DataArguments, GitHubCommand, GitHubLinkArguments};
use crate::database::Database;
use anyhow::{Context, Result, ensure};
use roundtrip_github::sweep;
use roundtrip_storage::github::installation;
use roundtrip_storage::task;

pub(crate) async fn github(command: GitHubCommand, data: &DataArguments) -> Result<()> {
    let database = Database::join(data).await?;
    let result = match &command {
        GitHubCommand::Repositories => list(&database).await,
        GitHubCommand::Link(arguments) => link(&database, arguments).await,
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

async fn link(database: &Database, arguments: &GitHubLinkArguments) -> Result<()> {
    let (repository, project) = (&arguments.repository, arguments.project.as_str());
    let is_linked = installation::link(&database.pool, repository, project).await;
    ensure!(
        is_linked.context("cannot change the database")?,
        "project {project} not found, or the GitHub App has no access to {repository}. See `roundtrip-server github repositories`"
    );
    // Read its open pull requests soon.
    task::make_due(&database.pool, sweep::TASK).await.context("cannot change the database")
}
