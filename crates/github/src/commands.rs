//! Commands in comments: lines that begin with `/roundtrip`, except in quotes and code blocks. Also how a comment is
//! handled: who may run commands, and how the author gets an answer.

use crate::client::GitHubError;
use crate::repository::Repository;
use chrono::{DateTime, Utc};
use pulldown_cmark::{Event as Markdown, Parser, Tag, TagEnd};
use roundtrip_domain::queue::github_jobs;
use roundtrip_storage::github::pull_request::{self, PullRequestRow};
use roundtrip_storage::github::queue::{self, Accepted};
use roundtrip_wire::Slug;
use sqlx::PgPool;

/// The beginning of a command line.
const WORD: &str = "/roundtrip";
const COMMANDS_MAX: usize = 8;
/// The beginning of a reply, so that there is only one per comment.
const REPLY_MARKER: &str = "<!-- roundtrip:v1 reply-to=";
const REASON_LENGTH_MAX: usize = 500;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Measure the newest commit.
    Queue {
        /// The preset; none for the default.
        preset: Option<String>,
        /// The machines; empty for all.
        machines: Vec<String>,
    },
    /// Cancel jobs.
    Cancel,
    /// Acknowledge a slowdown as intended.
    Ack {
        /// The reason.
        reason: String,
    },
    /// Repeat jobs that failed or were inconclusive.
    Retry {
        /// The machines; empty for all.
        machines: Vec<String>,
    },
}

impl Command {
    /// The machines to measure on, empty for all; `None` for commands that measure nothing.
    pub(crate) fn machines(&self) -> Option<&[String]> {
        match self {
            Self::Queue { machines, .. } | Self::Retry { machines } => Some(machines),
            Self::Cancel | Self::Ack { .. } => None,
        }
    }

    /// The command's name in a comment.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Queue { .. } => "queue",
            Self::Cancel => "cancel",
            Self::Ack { .. } => "ack",
            Self::Retry { .. } => "retry",
        }
    }
}

/// The commands of a comment, in order; for an invalid one, an error that names the expected syntax.
pub(crate) fn find(comment: &str) -> Vec<Result<Command, String>> {
    lines(comment).iter().filter_map(|line| parse(line)).take(COMMANDS_MAX).collect()
}

/// The lines of top-level paragraphs.
fn lines(comment: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut depth = 0;
    let mut text = String::new();
    for event in Parser::new(comment) {
        match event {
            Markdown::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                depth += 1;
            }
            Markdown::End(
                TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock,
            ) => {
                depth -= 1;
            }
            Markdown::End(TagEnd::Paragraph) if depth == 0 => {
                lines.extend(std::mem::take(&mut text).lines().map(str::to_owned));
            }
            Markdown::End(TagEnd::Heading(_) | TagEnd::Paragraph) => text.clear(),
            Markdown::SoftBreak | Markdown::HardBreak => text.push('\n'),
            Markdown::Text(part) => text.push_str(&part),
            // With its marks, so that quoted code cannot begin a line with a command.
            Markdown::Code(part) => text.push_str(&format!("`{part}`")),
            _ => {}
        }
    }
    lines
}

fn parse(line: &str) -> Option<Result<Command, String>> {
    let rest = line.strip_prefix(WORD)?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let (word, rest) = rest.trim().split_once([' ', '\t']).unwrap_or((rest.trim(), ""));
    Some(command(word, rest.trim()))
}

fn command(word: &str, rest: &str) -> Result<Command, String> {
    match word {
        "queue" => {
            let (preset, machines) = arguments(word, rest, true)?;
            Ok(Command::Queue { preset, machines })
        }
        "cancel" if rest.is_empty() => Ok(Command::Cancel),
        "cancel" => Err("`cancel` takes no arguments. Use `/roundtrip cancel`".to_owned()),
        "ack" if rest.is_empty() => Err("`ack` needs a reason. Use `/roundtrip ack <reason>`".to_owned()),
        "ack" if rest.chars().count() > REASON_LENGTH_MAX => {
            Err(format!("the reason is too long. Use at most {REASON_LENGTH_MAX} characters"))
        }
        "ack" => Ok(Command::Ack { reason: rest.to_owned() }),
        "retry" => {
            let (_, machines) = arguments(word, rest, false)?;
            Ok(Command::Retry { machines })
        }
        _ => Err("unknown command. Use `/roundtrip queue`, `cancel`, `ack <reason>` or `retry`".to_owned()),
    }
}

/// Parses `preset=NAME`, at most once, and any number of `machine=NAME`.
fn arguments(word: &str, rest: &str, takes_preset: bool) -> Result<(Option<String>, Vec<String>), String> {
    let expected = if takes_preset { "`preset=NAME` or `machine=NAME`" } else { "`machine=NAME`" };
    let (mut preset, mut machines) = (None, Vec::new());
    for argument in rest.split_whitespace() {
        let name = |text: &str| Slug::parse(text).map(|slug| slug.to_string()).ok();
        match argument.split_once('=').map(|(key, value)| (key, name(value))) {
            Some(("preset", Some(name))) if takes_preset && preset.is_none() => preset = Some(name),
            Some(("machine", Some(name))) => machines.push(name),
            _ => return Err(format!("unknown argument for `{word}`. Use {expected}")),
        }
    }
    Ok((preset, machines))
}

pub(super) struct Comment<'a> {
    pub(super) number: i64,
    pub(super) id: i64,
    pub(super) author: &'a str,
    pub(super) body: &'a str,
    pub(super) created_at: DateTime<Utc>,
}

/// Stores a comment's commands, and answers with a reaction, or with a reply that says why nothing is done.
pub(super) async fn handle_command(
    pool: &PgPool,
    repository: Repository<'_>,
    project_id: i64,
    comment: &Comment<'_>,
    now: DateTime<Utc>,
) -> Result<(), GitHubError> {
    let found = pull_request::find(&mut *pool.acquire().await?, project_id, comment.number).await?;
    let Some(row) = found else { return Ok(()) };
    let commands = find(comment.body);
    let refusal = if !repository.is_writer(comment.author).await? {
        Some("commands require write access to the repository.".to_owned())
    } else if row.state != "open" {
        Some("the pull request is closed.".to_owned())
    } else if row.head_pushed_at >= comment.created_at {
        // A commit runs on the lab's machines only if the author of the command has seen it.
        let sha = row.head_sha.get(..7).unwrap_or(&row.head_sha);
        Some(format!("new commits were pushed. Review {sha}, then comment again."))
    } else {
        commands.iter().find_map(|command| command.as_ref().err()).map(|why| format!("{why}."))
    };
    if let Some(why) = refusal {
        return reply(repository, comment, &format!("Not done: {why}")).await;
    }
    for (place, command) in commands.iter().flatten().enumerate() {
        let source = format!("comment:{}:{place}", comment.id);
        let origin = CommandOrigin { source: &source, by: comment.author, at: comment.created_at };
        note_command(pool, &row, &origin, command, now).await?;
    }
    repository.react(comment.id).await?;
    match no_machine(pool, project_id, commands.iter().flatten()).await? {
        Some(why) => reply(repository, comment, &format!("No job queued: {why}")).await,
        None => Ok(()),
    }
}

/// Why no machine would run the commands: the project has none, or not the named one.
async fn no_machine(
    pool: &PgPool,
    project_id: i64,
    commands: impl Iterator<Item = &Command>,
) -> sqlx::Result<Option<String>> {
    let mut connection = pool.acquire().await?;
    for named in commands.filter_map(Command::machines) {
        if github_jobs::machines(&mut connection, project_id, &[]).await?.is_empty() {
            let why = "this project has no machine that was seen within a week. Enrol or start an agent, then comment \
                       again.";
            return Ok(Some(why.to_owned()));
        }
        for name in named {
            if github_jobs::machines(&mut connection, project_id, std::slice::from_ref(name))
                .await?
                .is_empty()
            {
                return Ok(Some(format!(
                    "this project has no machine named `{name}` that was seen within a week."
                )));
            }
        }
    }
    Ok(None)
}

/// Replies to a comment, once.
async fn reply(repository: Repository<'_>, comment: &Comment<'_>, what: &str) -> Result<(), GitHubError> {
    let marker = format!("{REPLY_MARKER}{} -->", comment.id);
    if repository.find_comment(comment.number, &marker).await?.is_none() {
        let body = format!("{marker}\n{what}");
        repository.create_comment(comment.number, &body).await?;
    }
    Ok(())
}

/// The origin of a command.
#[derive(Clone, Debug)]
pub(crate) struct CommandOrigin<'a> {
    /// The comment and position, the same for repeated deliveries.
    pub source: &'a str,
    /// The author's login.
    pub by: &'a str,
    /// The time of the comment.
    pub at: DateTime<Utc>,
}

/// Stores a command from a user with write access, for the commit that they saw. `queue` approves the commit.
pub(crate) async fn note_command(
    pool: &PgPool,
    pull_request: &PullRequestRow,
    origin: &CommandOrigin<'_>,
    command: &Command,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let (preset, machines, reason) = match command {
        Command::Queue { preset, machines } => (preset.as_deref(), machines.as_slice(), None),
        Command::Retry { machines } => (None, machines.as_slice(), None),
        Command::Ack { reason } => (None, [].as_slice(), Some(reason.as_str())),
        Command::Cancel => (None, [].as_slice(), None),
    };
    let accepted = Accepted {
        source: origin.source,
        kind: command.word(),
        preset,
        machines,
        reason,
        head_sha: &pull_request.head_sha,
        requested_by: origin.by,
        requested_at: origin.at,
    };
    let id = pull_request.github_pull_request_id;
    let mut transaction = pool.begin().await?;
    let is_new = queue::add_command(&mut transaction, id, &accepted).await?;
    if is_new && matches!(command, Command::Queue { .. }) {
        pull_request::approve(&mut transaction, id, &pull_request.head_sha, origin.by, now).await?;
    }
    transaction.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(comment: &str) -> Result<Command, String> {
        let mut all = find(comment);
        assert_eq!(all.len(), 1, "{comment}: {all:?}");
        all.remove(0)
    }

    #[test]
    fn commands_parse_with_arguments() {
        let machines = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(one("/roundtrip queue"), Ok(Command::Queue { preset: None, machines: Vec::new() }));
        assert_eq!(
            one("/roundtrip queue preset=quick machine=lab-1 machine=lab-2"),
            Ok(Command::Queue { preset: Some("quick".into()), machines: machines(&["lab-1", "lab-2"]) })
        );
        assert_eq!(one("Thanks!\n/roundtrip cancel\n"), Ok(Command::Cancel));
        assert_eq!(
            one("/roundtrip retry machine=lab-1"),
            Ok(Command::Retry { machines: machines(&["lab-1"]) })
        );
        let reason = "it copies *less*, see `ring.rs`".to_owned();
        assert_eq!(
            one(&format!("/roundtrip ack {reason}")),
            Ok(Command::Ack { reason: reason.replace('*', "") })
        );
    }

    #[test]
    fn commands_keep_their_order() {
        let all = find("/roundtrip ack meant\r\n/roundtrip retry\r\n\r\n/roundtrip cancel");
        let words: Vec<_> = all.iter().map(|one| one.as_ref().unwrap().word()).collect();
        assert_eq!(words, ["ack", "retry", "cancel"]);
        assert_eq!(find(&"/roundtrip retry\n\n".repeat(99)).len(), COMMANDS_MAX);
    }

    #[test]
    fn quotes_and_code_contain_no_commands() {
        for comment in [
            "> /roundtrip queue",
            "> he wrote:\n> /roundtrip queue\nlazily",
            "```\n/roundtrip queue\n```",
            "    /roundtrip queue",
            "`/roundtrip queue`",
            "`a\n/roundtrip queue`",
            "- /roundtrip queue",
            "<!--\n/roundtrip queue\n-->",
            "Say /roundtrip queue",
            "/roundtripqueue",
            "# /roundtrip queue",
            "",
        ] {
            assert_eq!(find(comment), [], "{comment}");
        }
    }

    #[test]
    fn an_invalid_command_is_answered_with_the_expected_syntax() {
        for (comment, expected) in [
            ("/roundtrip", "`/roundtrip queue`, `cancel`, `ack <reason>` or `retry`"),
            ("/roundtrip qeue", "`/roundtrip queue`, `cancel`"),
            ("/roundtrip ack", "`/roundtrip ack <reason>`"),
            ("/roundtrip cancel all", "Use `/roundtrip cancel`"),
            ("/roundtrip queue os=linux", "`preset=NAME` or `machine=NAME`"),
            ("/roundtrip queue preset=a preset=b", "`preset=NAME` or `machine=NAME`"),
            ("/roundtrip queue machine=<b>", "`machine=NAME`"),
            ("/roundtrip retry preset=quick", "Use `machine=NAME`"),
        ] {
            let error = one(comment).unwrap_err();
            assert!(error.contains(expected), "{comment}: {error}");
            assert!(
                !error.contains("os=linux") && !error.contains("<b>"),
                "it must not repeat user text: {error}"
            );
        }
    }
}
