//! The members of projects.

use super::record;
use crate::error::{DomainError, Kind};
use roundtrip_storage::access::Role;
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::account;
use roundtrip_storage::audit::{Action, By};
use serde_json::json;
use sqlx::PgPool;

/// Gives an account a role in a project, in place of the one it has.
///
/// # Errors
/// There is no such account, or the database does not answer.
pub async fn set_member(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    name: &str,
    role: Role,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let account_id = account::key(&mut transaction, name).await?;
    let account_id = account_id.ok_or_else(|| DomainError::unknown(Kind::Account, name))?;
    let before = account::role(&mut transaction, project.project_id, account_id).await?;
    account::set_role(&mut transaction, project.project_id, account_id, role).await?;
    let details = json!({"account": name, "from": before, "to": role});
    let subject = format!("project:{}", project.project);
    record(&mut transaction, by, Action::MembershipSet, subject, details).await?;
    Ok(transaction.commit().await?)
}

/// Takes an account out of a project.
///
/// # Errors
/// It is no member, or the database does not answer.
pub async fn remove_member(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    name: &str,
) -> Result<(), DomainError> {
    let unknown = || DomainError::unknown(Kind::Member, name);
    let mut transaction = pool.begin().await?;
    let account_id = account::key(&mut transaction, name).await?.ok_or_else(unknown)?;
    if !account::remove_role(&mut transaction, project.project_id, account_id).await? {
        return Err(unknown());
    }
    let subject = format!("project:{}", project.project);
    record(&mut transaction, by, Action::MembershipRemove, subject, json!({"account": name})).await?;
    Ok(transaction.commit().await?)
}
