//! `trust`: which jobs of continuous integration may upload, with tokens that their own system signs.

use super::account::pool;
use super::columns::columns;
use crate::cli::{DataArguments, TrustCommand, TrustCreateArguments, TrustDeleteArguments};
use anyhow::{Context, Result};
use roundtrip_domain::audited::tokens;
use roundtrip_storage::audit::By;
use roundtrip_storage::oidc::Patterns;
use roundtrip_storage::oidc::{self, New};

/// Runs the verb.
///
/// # Errors
/// No database is there, or it refuses; there is no such trust.
pub(crate) async fn trust(command: TrustCommand) -> Result<()> {
    match command {
        TrustCommand::Create(arguments) => create(arguments).await,
        TrustCommand::List(arguments) => list(arguments).await,
        TrustCommand::Delete(arguments) => delete(arguments).await,
    }
}

async fn create(arguments: TrustCreateArguments) -> Result<()> {
    let TrustCreateArguments { project, repository, repository_id, owner_id, issuer, data, .. } = &arguments;
    let patterns = Patterns {
        workflow_ref: arguments.workflow_ref.clone(),
        git_ref: arguments.git_ref.clone(),
        environment: arguments.environment.clone(),
    };
    let new = New {
        project: project.as_str(),
        issuer: issuer.trim_end_matches('/'),
        repository,
        repository_id: *repository_id,
        repository_owner_id: *owner_id,
        patterns: &patterns,
    };
    let pool = pool(data).await?;
    let row = tokens::create_oidc_trust(&pool, &By::command_line(), &new).await;
    let row = row.context("cannot store the trust")?;
    pool.close().await;
    eprintln!("jobs of {repository} may upload to {project}; this is trust {}", row.oidc_trust_id);
    Ok(())
}

async fn list(arguments: DataArguments) -> Result<()> {
    let pool = pool(&arguments).await?;
    let rows = oidc::list(&pool, None, 0, i64::MAX).await.context("cannot read the trusts")?;
    pool.close().await;
    let any = |pattern: Option<String>| pattern.unwrap_or_else(|| "any".to_owned());
    let cells: Vec<_> = rows
        .into_iter()
        .map(|row| {
            [
                row.oidc_trust_id.to_string(),
                row.project,
                row.repository,
                row.repository_id.to_string(),
                row.repository_owner_id.to_string(),
                any(row.workflow_ref),
                any(row.git_ref),
                any(row.environment),
                row.issuer,
            ]
        })
        .collect();
    let head =
        ["NUMBER", "PROJECT", "REPOSITORY", "ID", "OWNER ID", "WORKFLOW", "REF", "ENVIRONMENT", "ISSUER"];
    crate::print(&columns(head, &cells))
}

async fn delete(arguments: TrustDeleteArguments) -> Result<()> {
    let pool = pool(&arguments.data).await?;
    let trust = arguments.oidc_trust_id;
    let deleted = tokens::delete_oidc_trust(&pool, &By::command_line(), trust, |_| true).await;
    let deleted = deleted.context("cannot delete the trust")?;
    let row = deleted.with_context(|| format!("there is no trust {trust}: see `trust list`"))?;
    pool.close().await;
    eprintln!("jobs of {} may not upload to {} any more", row.repository, row.project);
    Ok(())
}
