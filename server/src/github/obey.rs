//! Commands in a comment: who is obeyed, and how whoever wrote it gets to know.

use super::client::GitHubError;
use super::command::{self, Command};
use super::intake::{self, Asked};
use super::queue;
use super::repository::Repository;
use chrono::{DateTime, Utc};
use roundtrip_storage::github::pull_request;
use sqlx::PgConnection;

/// How a reply begins, so that it is given once.
const REPLY_MARKER: &str = "<!-- roundtrip:v1 reply-to=";

/// A comment with commands.
pub(super) struct Comment<'a> {
    /// The pull request's number.
    pub(super) number: i64,
    /// The comment's.
    pub(super) id: i64,
    pub(super) author: &'a str,
    pub(super) body: &'a str,
    pub(super) created_at: DateTime<Utc>,
}

/// Notes what a comment asks for, and answers it: by a reaction, or a reply that says why nothing is done.
pub(super) async fn obey(
    connection: &mut PgConnection,
    repository: Repository<'_>,
    project_id: i64,
    comment: &Comment<'_>,
    now: DateTime<Utc>,
) -> Result<(), GitHubError> {
    let Some(row) = pull_request::find(connection, project_id, comment.number).await? else {
        return Ok(());
    };
    let commands = command::find(comment.body);
    let refusal = if !repository.is_writer(comment.author).await? {
        Some("this takes write access to the repository.".to_owned())
    } else if row.state != "open" {
        Some("the pull request is closed.".to_owned())
    } else if row.head_pushed_at >= comment.created_at {
        // Whoever asks for a commit to be measured on somebody's machines must have seen it.
        let sha = row.head_sha.get(..7).unwrap_or(&row.head_sha);
        Some(format!(
            "the pull request has changed meanwhile. Its newest commit is {sha}: comment again if you mean that."
        ))
    } else {
        commands.iter().find_map(|command| command.as_ref().err()).map(|why| format!("{why}."))
    };
    if let Some(why) = refusal {
        return reply(repository, comment, &format!("Nothing was done: {why}")).await;
    }
    for (place, command) in commands.iter().flatten().enumerate() {
        let source = format!("comment:{}:{place}", comment.id);
        let asked = Asked { source: &source, by: comment.author, at: comment.created_at };
        intake::note_command(connection, &row, &asked, command, now).await?;
    }
    repository.react(comment.id).await?;
    match nobody_measures(connection, project_id, commands.iter().flatten()).await? {
        Some(why) => reply(repository, comment, &format!("Nothing is measured: {why}")).await,
        None => Ok(()),
    }
}

/// Why nobody would measure what is asked for: no machine works for the project, or one that is named does not.
async fn nobody_measures(
    connection: &mut PgConnection,
    project_id: i64,
    commands: impl Iterator<Item = &Command>,
) -> sqlx::Result<Option<String>> {
    for named in commands.filter_map(Command::machines) {
        if queue::machines(connection, project_id, &[]).await?.is_empty() {
            return Ok(Some("no machine works for this project. Ask again once one does.".to_owned()));
        }
        for name in named {
            if queue::machines(connection, project_id, std::slice::from_ref(name)).await?.is_empty() {
                return Ok(Some(format!("no machine called `{name}` works for this project.")));
            }
        }
    }
    Ok(None)
}

/// Says something to whoever wrote a comment, once.
async fn reply(repository: Repository<'_>, comment: &Comment<'_>, what: &str) -> Result<(), GitHubError> {
    let marker = format!("{REPLY_MARKER}{} -->", comment.id);
    if repository.find_comment(comment.number, &marker).await?.is_none() {
        let body = format!("{marker}\n{what}");
        repository.create_comment(comment.number, &body).await?;
    }
    Ok(())
}
