//! `account`: people who sign in. The first administrator is made here; others can be made by it.

use super::columns::columns;
use crate::cli::{AccountCommand, AccountCreateArguments, AccountDeleteArguments, DataArguments};
use crate::{config, database, postgres};
use anyhow::{Context, Result, bail};
use roundtrip_domain::audited;
use roundtrip_storage::audit::By;
use roundtrip_storage::{account, pool};
use sqlx::PgPool;

/// Runs the verb.
///
/// # Errors
/// No database is there, or it refuses; the name is taken, or there is no such account.
pub(crate) async fn account(command: AccountCommand) -> Result<()> {
    match command {
        AccountCommand::Create(arguments) => create(arguments).await,
        AccountCommand::List(arguments) => list(arguments).await,
        AccountCommand::Delete(arguments) => delete(arguments).await,
    }
}

/// The database of the running server.
///
/// # Errors
/// There is none.
pub(super) async fn pool(arguments: &DataArguments) -> Result<PgPool> {
    let options = match config::database_url() {
        Some(url) => database::reachable(&url).await?,
        None => postgres::running(&config::data_dir(arguments)?).await?,
    };
    Ok(pool::pool(options))
}

async fn create(arguments: AccountCreateArguments) -> Result<()> {
    let AccountCreateArguments { name, admin, github, data } = arguments;
    let pool = pool(&data).await?;
    let by = By::command_line();
    let created = audited::create_account(&pool, &by, name.as_str(), github.as_deref(), admin).await;
    let created = created.context("cannot store the account")?;
    let Some((_, token)) = created else {
        bail!("the name {name}, or the login, is another account's: choose another, or see `account list`");
    };
    pool.close().await;
    match (github, token) {
        (_, Some(token)) => {
            eprintln!("{name} signs in with this token; keep it, it cannot be shown again");
            crate::print(token.secret.expose())
        }
        (login, None) => {
            eprintln!("{name} signs in with GitHub as {}", login.unwrap_or_default());
            Ok(())
        }
    }
}

async fn list(arguments: DataArguments) -> Result<()> {
    let pool = pool(&arguments).await?;
    let rows = account::list(&pool, "", i64::MAX).await.context("cannot read the accounts")?;
    pool.close().await;
    let cells: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let admin = if row.is_admin { "admin" } else { "" };
            [
                row.name,
                admin.to_owned(),
                row.github_login.unwrap_or_default(),
                row.created_at.format("%Y-%m-%d").to_string(),
            ]
        })
        .collect();
    crate::print(&columns(["NAME", "SERVER", "GITHUB", "CREATED"], &cells))
}

async fn delete(arguments: AccountDeleteArguments) -> Result<()> {
    let AccountDeleteArguments { name, data } = arguments;
    let pool = pool(&data).await?;
    let by = By::command_line();
    let deleted = audited::delete_account(&pool, &by, name.as_str()).await;
    if !deleted.context("cannot remove the account")? {
        bail!("there is no account {name}: see `account list`");
    }
    pool.close().await;
    Ok(())
}
