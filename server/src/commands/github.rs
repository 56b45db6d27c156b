//! `github`: which project a repository of the GitHub App is.

use super::columns::columns;
use crate::cli::{GitHubCommand, GitHubLinkArguments};
use crate::database::Database;
use anyhow::{Context, Result, ensure};
use roundtrip_github::sweep;
use roundtrip_storage::github::installation;
use roundtrip_storage::task;

/// Runs the verb.
///
/// # Errors
/// There is no database, no such project, or no such repository.
pub(crate) async fn github(command: GitHubCommand) -> Result<()> {
    let data = match &command {
        GitHubCommand::Repositories(data) => data,
        GitHubCommand::Link(arguments) => &arguments.data,
    };
    let database = Database::join(data).await?;
    let result = match &command {
        GitHubCommand::Repositories(_) => list(&database).await,
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
    crate::print(&columns(["repository", "project"], &rows))
}

async fn link(database: &Database, arguments: &GitHubLinkArguments) -> Result<()> {
    let (repository, project) = (&arguments.repository, arguments.project.as_str());
    let is_linked = installation::link(&database.pool, repository, project).await;
    ensure!(
        is_linked.context("cannot change the database")?,
        "there is no project {project}, or the GitHub App may use no repository {repository}: `roundtrip-server github \
         repositories` lists those that it may use"
    );
    // What is open there is read soon.
    task::hasten(&database.pool, sweep::TASK).await.context("cannot change the database")
}
