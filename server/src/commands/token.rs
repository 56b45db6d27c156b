//! `token`: tokens for agents, and the first one, which a new server makes by itself.

use crate::cli::{INGEST_WRITE, TokenCommand, TokenCreateArguments};
use crate::{config, database, postgres};
use anyhow::{Context, Result};
use chrono::{Days, Utc};
use roundtrip_server::db::token;
use sqlx::PgPool;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The name of the first token, and of its file in the data directory.
const FIRST: &str = "agent";
const FIRST_FILE: &str = "agent.token";

/// Runs the verb.
///
/// # Errors
/// No database is there, or it refuses.
pub(crate) async fn token(command: TokenCommand) -> Result<()> {
    match command {
        TokenCommand::Create(arguments) => create(arguments).await,
    }
}

async fn create(arguments: TokenCreateArguments) -> Result<()> {
    let options = match config::database_url() {
        Some(url) => database::reachable(&url).await?,
        None => postgres::running(&config::data_dir(&arguments.data)?).await?,
    };
    let pool = database::pool(options);
    let expires_at = Utc::now()
        .checked_add_days(Days::new(arguments.expires_in_days.into()))
        .context("--expires-in-days is too far away")?;
    let token = token::create(&pool, &arguments.name, &[arguments.scope], Some(expires_at))
        .await
        .context("cannot store the token")?;
    pool.close().await;
    eprintln!(
        "the token of {} is valid until {}; keep it, it cannot be shown again",
        arguments.name,
        expires_at.format("%Y-%m-%d")
    );
    crate::print(&token.secret)
}

/// Makes the first token of a new database, and writes it into `data_dir` for the agent on this machine.
///
/// # Errors
/// The database or the disk refuses.
pub(crate) async fn ensure_first(pool: &PgPool, data_dir: Option<&Path>) -> Result<()> {
    let any_exist = token::any_exist(pool).await.context("cannot look for tokens")?;
    let Some(data_dir) = data_dir else {
        if !any_exist {
            tracing::info!(
                "there is no token for uploads yet: make one with `roundtrip-server token create --name NAME`"
            );
        }
        return Ok(());
    };
    let path = data_dir.join(FIRST_FILE);
    let partial = path.with_added_extension("partial");
    // A file that was begun tells of an attempt that was cut short: its secret may be lost.
    if any_exist && !partial.exists() {
        return Ok(());
    }
    let mut file = begin(&partial)?;
    let token = token::create(pool, FIRST, &[INGEST_WRITE.to_owned()], None)
        .await
        .context("cannot store the first token")?;
    finish(&mut file, &token.secret)
        .and_then(|()| std::fs::rename(&partial, &path))
        .and_then(|()| File::open(data_dir)?.sync_all())
        .with_context(|| format!("cannot write the first token to {}", path.display()))?;
    tracing::info!("a token for uploads is in {}", path.display());
    Ok(())
}

/// A new file that only this user reads, from its first moment.
fn begin(partial: &Path) -> Result<File> {
    if let Some(data_dir) = partial.parent() {
        std::fs::create_dir_all(data_dir)
            .with_context(|| format!("cannot make the data directory {}", data_dir.display()))?;
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
        .with_context(|| format!("cannot make {}", partial.display()))
}

fn finish(file: &mut File, secret: &str) -> std::io::Result<()> {
    writeln!(file, "{secret}")?;
    file.sync_all()
}
