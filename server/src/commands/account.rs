//! `account`: creates, lists and deletes accounts. It creates the first administrator.

use super::columns::columns;
use crate::cli::{AccountCommand, DataArguments};
use crate::{config, database, postgres};
use anyhow::{Context, Result, bail};
use roundtrip_domain::audited;
use roundtrip_storage::audit::By;
use roundtrip_storage::{account, pool};
use roundtrip_wire::Slug;
use sqlx::PgPool;

pub(crate) async fn account(command: AccountCommand, data: &DataArguments) -> Result<()> {
    let pool = pool(data).await?;
    match command {
        AccountCommand::Create { name, admin, github } => create(&pool, &name, admin, github).await?,
        AccountCommand::List => list(&pool).await?,
        AccountCommand::Delete { name } => delete(&pool, &name).await?,
    }
    pool.close().await;
    Ok(())
}

/// The database of the running server.
pub(super) async fn pool(arguments: &DataArguments) -> Result<PgPool> {
    let options = match config::database_url() {
        Some(url) => database::reachable(&url).await?,
        None => postgres::running(&config::data_dir(arguments)?).await?,
    };
    Ok(pool::pool(options))
}

async fn create(pool: &PgPool, name: &Slug, admin: bool, github: Option<String>) -> Result<()> {
    let by = By::command_line();
    let created = audited::create_account(pool, &by, name.as_str(), github.as_deref(), admin).await;
    let created = created.context("cannot store the account")?;
    let Some((_, token)) = created else {
        bail!("the account {name} or the GitHub login already exists. See `roundtrip-server account list`");
    };
    match (github, token) {
        (_, Some(token)) => {
            eprintln!("created account {name}. Sign in with this token; it is shown only once");
            crate::print(token.secret.expose())
        }
        (login, None) => {
            eprintln!("created account {name}, which signs in with GitHub as {}", login.unwrap_or_default());
            Ok(())
        }
    }
}

async fn list(pool: &PgPool) -> Result<()> {
    let rows = account::list(pool, "", i64::MAX).await.context("cannot read the accounts")?;
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

async fn delete(pool: &PgPool, name: &Slug) -> Result<()> {
    let deleted = audited::delete_account(pool, &By::command_line(), name.as_str()).await;
    if !deleted.context("cannot delete the account")? {
        bail!("account {name} not found. See `roundtrip-server account list`");
    }
    eprintln!("deleted account {name}");
    Ok(())
}
