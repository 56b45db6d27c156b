//! Commands in a comment: who is obeyed, and how whoever wrote it gets to know.

use super::client::GitHubError;
use super::command;
use super::intake::{self, Asked};
use super::repository::Repository;
use crate::db::github::pull_request;
use chrono::{DateTime, Utc};
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
        return reply(repository, comment, &why).await;
    }
    for (place, command) in commands.iter().flatten().enumerate() {
        let source = format!("comment:{}:{place}", comment.id);
        let asked = Asked { source: &source, by: comment.author, at: comment.created_at };
        intake::note_command(connection, &row, &asked, command, now).await?;
    }
    repository.react(comment.id).await
}

/// Says why something is not done, once.
async fn reply(repository: Repository<'_>, comment: &Comment<'_>, why: &str) -> Result<(), GitHubError> {
    let marker = format!("{REPLY_MARKER}{} -->", comment.id);
    if repository.find_comment(comment.number, &marker).await?.is_none() {
        let body = format!("{marker}\nNothing was done: {why}");
        repository.create_comment(comment.number, &body).await?;
    }
    Ok(())
}
