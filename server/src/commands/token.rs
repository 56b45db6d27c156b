//! `token`: manages tokens, and creates the first one on a new server.

use super::account::pool;
use super::columns::columns;
use crate::cli::{DataArguments, TokenCommand, TokenCreateArguments};
use crate::config::UsageError;
use anyhow::{Context, Result, bail};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_domain::audited::tokens::{self, Changer};
use roundtrip_domain::error::DomainError;
use roundtrip_storage::access::VisibleTokens;
use roundtrip_storage::access::{Binding, TokenKind};
use roundtrip_storage::audit::By;
use roundtrip_storage::token::{Issued, NewToken};
use roundtrip_storage::{account, token};
use sqlx::PgPool;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The name of the first token, and of its file in the data directory.
const FIRST: &str = "agent";
const FIRST_FILE: &str = "agent.token";

pub(crate) async fn token(command: TokenCommand, data: &DataArguments) -> Result<()> {
    if let TokenCommand::Create(arguments) = &command {
        check(arguments)?;
    }
    let pool = pool(data).await?;
    match command {
        TokenCommand::Create(arguments) => create(&pool, arguments).await?,
        TokenCommand::List => list(&pool).await?,
        TokenCommand::Revoke { token_id } => revoke(&pool, token_id).await?,
        TokenCommand::Rotate { token_id, overlap_hours } => rotate(&pool, token_id, overlap_hours).await?,
    }
    pool.close().await;
    Ok(())
}

fn check(arguments: &TokenCreateArguments) -> Result<(), UsageError> {
    let TokenCreateArguments { kind, account, scope, machine, .. } = arguments;
    if let Some(foreign) = scope.iter().find(|scope| !kind.scopes().contains(scope)) {
        return Err(UsageError::new(&format!("tokens of kind {kind} cannot have the scope {foreign}")));
    }
    if account.is_some() && *kind != TokenKind::User {
        return Err(UsageError::new("--account requires --kind user"));
    }
    if machine.is_some() && *kind != TokenKind::Agent {
        return Err(UsageError::new("--machine requires --kind agent"));
    }
    Ok(())
}

async fn create(pool: &PgPool, arguments: TokenCreateArguments) -> Result<()> {
    let TokenCreateArguments { name, kind, account, scope, project, machine, expires_in_days } = arguments;
    let scopes = if scope.is_empty() { kind.default_scopes().to_vec() } else { scope };
    let binding = Binding {
        project: project.map(|project| project.to_string()),
        machine: machine.map(|machine| machine.to_string()),
    };
    let account_id = match &account {
        Some(account) => {
            let mut connection = pool.acquire().await.context("cannot find the account")?;
            let key =
                account::key(&mut connection, account.as_str()).await.context("cannot find the account")?;
            Some(key.with_context(|| {
                format!("account {account} not found. See `roundtrip-server account list`")
            })?)
        }
        None => None,
    };
    let expires_at = Some(Utc::now() + TimeDelta::days(expires_in_days.into()));
    let new = NewToken { name: &name, kind, account_id, scopes: &scopes, binding: &binding, expires_at };
    let issued = tokens::issue_token(pool, &By::command_line(), &new).await;
    let (_, issued) = plain(issued).context("cannot store the token")?;
    print_issued(&name, &issued)
}

async fn list(pool: &PgPool) -> Result<()> {
    let all = VisibleTokens { all: true, account_id: None, projects: Vec::new() };
    let rows = token::list(pool, &all, 0, i64::MAX).await.context("cannot read the tokens")?;
    let day = |time: Option<DateTime<Utc>>| {
        time.map_or_else(|| "never".to_owned(), |time| time.format("%Y-%m-%d").to_string())
    };
    let cells: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let scopes = row.scopes.iter().map(ToString::to_string).collect::<Vec<_>>();
            [
                row.token_id.to_string(),
                row.name,
                row.kind.to_string(),
                row.prefix,
                scopes.join(","),
                row.account.unwrap_or_default(),
                row.project.unwrap_or_default(),
                row.machine.unwrap_or_default(),
                day(row.expires_at),
                day(row.last_used_at),
            ]
        })
        .collect();
    let head = [
        "NUMBER",
        "NAME",
        "KIND",
        "PREFIX",
        "SCOPES",
        "ACCOUNT",
        "PROJECT",
        "MACHINE",
        "EXPIRES",
        "LAST USED",
    ];
    crate::print(&columns(head, &cells))
}

async fn revoke(pool: &PgPool, token_id: i64) -> Result<()> {
    let revoked = tokens::revoke_token(pool, Changer::Operator, &By::command_line(), token_id).await;
    let row = found(revoked, token_id, "cannot revoke the token")?;
    eprintln!("revoked token {}", row.name);
    Ok(())
}

async fn rotate(pool: &PgPool, token_id: i64, overlap_hours: u32) -> Result<()> {
    let overlap = TimeDelta::hours(overlap_hours.into());
    let by = By::command_line();
    let rotated = tokens::rotate_token(pool, Changer::Operator, &by, token_id, overlap).await;
    let (row, issued) = found(rotated, token_id, "cannot rotate the token")?;
    eprintln!("the old secret is valid for {overlap_hours} more hours");
    print_issued(&row.name, &issued)
}

fn found<T>(changed: Result<T, DomainError>, token_id: i64, failure: &'static str) -> Result<T> {
    match changed {
        Err(DomainError::Unknown { .. }) => {
            bail!("token {token_id} not found or already revoked. See `roundtrip-server token list`")
        }
        changed => plain(changed).context(failure),
    }
}

/// Errors with full causes, because the user of the command line runs the server.
fn plain<T>(result: Result<T, DomainError>) -> Result<T> {
    result.map_err(|error| match error {
        DomainError::Unavailable(cause) | DomainError::StorageFull(cause) | DomainError::Internal(cause) => {
            cause
        }
        error => error.into(),
    })
}

fn print_issued(name: &str, issued: &Issued) -> Result<()> {
    let until = issued
        .expires_at
        .map_or_else(|| " forever".to_owned(), |at| format!(" until {}", at.format("%Y-%m-%d")));
    eprintln!("token for {name}, valid{until}. It is shown only once");
    crate::print(issued.secret.expose())
}

/// Creates the first token of a new database and writes it to `data_dir`, for the agent on this machine.
pub(crate) async fn ensure_first(pool: &PgPool, data_dir: Option<&Path>) -> Result<()> {
    let any_exist = token::any_exist(pool).await.context("cannot look for tokens")?;
    let Some(data_dir) = data_dir else {
        if !any_exist {
            tracing::info!(
                "no upload token exists. Create one with `roundtrip-server token create --name NAME`"
            );
        }
        return Ok(());
    };
    let path = data_dir.join(FIRST_FILE);
    let partial = path.with_added_extension("partial");
    // A partial file is left by an interrupted attempt, whose secret may be lost.
    if any_exist && !partial.exists() {
        return Ok(());
    }
    let mut file = begin(&partial)?;
    let issued = create_first(pool).await.context("cannot store the first token")?;
    finish(&mut file, issued.secret.expose())
        .and_then(|()| std::fs::rename(&partial, &path))
        .and_then(|()| File::open(data_dir)?.sync_all())
        .with_context(|| format!("cannot write the first token to {}", path.display()))?;
    tracing::info!("wrote an upload token to {}", path.display());
    Ok(())
}

/// Creates a token for any project and machine, without an expiry.
async fn create_first(pool: &PgPool) -> Result<Issued> {
    let kind = TokenKind::Agent;
    let binding = Binding::default();
    let scopes = kind.default_scopes();
    let new = NewToken { name: FIRST, kind, account_id: None, scopes, binding: &binding, expires_at: None };
    Ok(plain(tokens::issue_token(pool, &By::server(), &new).await)?.1)
}

/// Creates a file that only this user can read, from its creation on.
fn begin(partial: &Path) -> Result<File> {
    if let Some(data_dir) = partial.parent() {
        std::fs::create_dir_all(data_dir)
            .with_context(|| format!("cannot create the data directory {}", data_dir.display()))?;
    }
    match std::fs::remove_file(partial) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", partial.display()));
        }
        _ => {}
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(partial)
        .and_then(|file| file.sync_all().map(|()| file))
        .with_context(|| format!("cannot create {}", partial.display()))
}

fn finish(file: &mut File, secret: &str) -> std::io::Result<()> {
    writeln!(file, "{secret}")?;
    file.sync_all()
}
