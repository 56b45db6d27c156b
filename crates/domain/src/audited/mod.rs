//! Changes made by users, for the API and the command line. Each writes its entry in the audit log in the same
//! transaction, which begins and ends within the function.
//!
//! # Codemap
//! - Here: accounts. [`tokens`]: tokens and trusted CI jobs. [`sessions`]: browser sessions.
//! - [`projects`], [`channels`], [`jobs`], [`notes`], [`regressions`], [`comments`]: parts of one project.
//! - [`agents`]: agents and their enrolment codes.

pub mod agents;
pub mod channels;
pub mod comments;
pub mod jobs;
pub mod notes;
pub mod projects;
pub mod regressions;
pub mod sessions;
pub mod tokens;

pub use tokens::create_token;

use crate::access::{Refusal, TOKEN_DAYS_DEFAULT};
use crate::error::{DomainError, Kind};
use chrono::{TimeDelta, Utc};
use roundtrip_storage::access::{Binding, Scope, TokenKind};
use roundtrip_storage::account::{self, AccountSummary};
use roundtrip_storage::audit::{self, Action, By, Event};
use roundtrip_storage::token::{Issued, NewToken};
use roundtrip_wire::Slug;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool, Postgres, Result, Transaction};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Maximum number of labels of an agent or a job.
const LABELS_MAX: usize = 20;

/// Creates an account and, if it cannot sign in another way, a token for it. None if its name or login is
/// taken.
pub async fn create_account(
    pool: &PgPool,
    by: &By,
    name: &str,
    github_login: Option<&str>,
    is_admin: bool,
) -> Result<Option<(AccountSummary, Option<Issued>)>> {
    let mut transaction = pool.begin().await?;
    let Some(account) = account::create(&mut transaction, name, github_login, is_admin).await? else {
        return Ok(None);
    };
    let details = json!({"github_login": github_login, "is_admin": is_admin});
    record(&mut transaction, by, Action::AccountCreate, ("account", name), details).await?;
    if github_login.is_some() {
        transaction.commit().await?;
        return Ok(Some((account, None)));
    }
    let new = NewToken {
        name: "first",
        kind: TokenKind::User,
        account_id: Some(account.account_id),
        scopes: &Scope::ALL,
        binding: &Binding::default(),
        expires_at: Some(Utc::now() + TimeDelta::days(TOKEN_DAYS_DEFAULT.into())),
    };
    let issued = create_token(&mut transaction, by, &new).await?;
    transaction.commit().await?;
    Ok(Some((account, Some(issued))))
}

/// Deletes an account with its tokens and sessions. False if it does not exist.
pub async fn delete_account(pool: &PgPool, by: &By, name: &str) -> Result<bool> {
    let mut transaction = pool.begin().await?;
    let Some(account_id) = account::key(&mut transaction, name).await? else { return Ok(false) };
    account::delete(&mut transaction, account_id).await?;
    commit(transaction, by, Action::AccountDelete, ("account", name), json!({})).await?;
    Ok(true)
}

/// Adds an entry to the audit log. The subject is its kind and its name or number.
async fn record(
    connection: &mut PgConnection,
    by: &By,
    action: Action,
    (kind, name): (&str, impl Display),
    details: Value,
) -> Result<()> {
    audit::record(connection, by, Event { action, subject: format!("{kind}:{name}"), details }).await
}

/// Commits a change with its entry in the audit log.
async fn commit(
    mut transaction: Transaction<'_, Postgres>,
    by: &By,
    action: Action,
    subject: (&str, impl Display),
    details: Value,
) -> Result<()> {
    record(&mut transaction, by, action, subject, details).await?;
    transaction.commit().await
}

/// Checks the number of characters of a text.
pub fn check_text(parameter: &str, text: &str, lengths: &RangeInclusive<usize>) -> Result<(), DomainError> {
    let length = text.chars().count();
    if !lengths.contains(&length) {
        let detail = format!("{length} characters: expected {} to {}", lengths.start(), lengths.end());
        return Err(DomainError::parameter(parameter, detail));
    }
    // PostgreSQL does not allow NUL in text.
    if text.contains('\0') {
        return Err(DomainError::parameter(parameter, "expected text without a NUL character"));
    }
    Ok(())
}

/// Whether browsers open the address as a web page.
pub fn is_web_address(url: &str, bytes_max: usize) -> bool {
    (url.starts_with("https://") || url.starts_with("http://"))
        && url.len() <= bytes_max
        && !url.contains(|c: char| c.is_control() || c.is_whitespace())
}

/// The author of a text that the caller may delete: it is theirs, or `of_others` permits it.
fn deletable(
    by: &By,
    author: Option<String>,
    of_others: Result<(), Refusal>,
    (kind, id): (Kind, i64),
) -> Result<String, DomainError> {
    let author = author.ok_or_else(|| DomainError::unknown(kind, id))?;
    if author != by.actor {
        of_others.map_err(|refusal| DomainError::refused(refusal, kind, id))?;
    }
    Ok(author)
}

/// Labels as they are stored: sorted, without duplicates.
pub fn labels(labels: &[Slug]) -> Result<Vec<String>, DomainError> {
    let mut texts: Vec<String> = labels.iter().map(ToString::to_string).collect();
    texts.sort_unstable();
    texts.dedup();
    if texts.len() > LABELS_MAX {
        let detail = format!("{} labels: expected at most {LABELS_MAX}", texts.len());
        return Err(DomainError::parameter("labels", detail));
    }
    Ok(texts)
}

/// Distinguishes null, which removes a value, from an absent field, which keeps it. For fields that also have
/// a default.
///
/// # Errors
/// The field is neither null nor a value.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
