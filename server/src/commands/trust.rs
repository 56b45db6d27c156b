//! `trust`: manages which CI jobs may upload with OIDC tokens.

use super::account::pool;
use super::columns::columns;
use crate::cli::{DataArguments, TrustCommand, TrustCreateArguments};
use anyhow::{Context, Result};
use roundtrip_domain::audited::tokens;
use roundtrip_storage::audit::By;
use roundtrip_storage::oidc::Patterns;
use roundtrip_storage::oidc::{self, New};
use sqlx::PgPool;

pub(crate) async fn trust(command: TrustCommand, data: &DataArguments) -> Result<()> {
    let pool = pool(data).await?;
    match command {
        TrustCommand::Create(arguments) => create(&pool, &arguments).await?,
        TrustCommand::List => list(&pool).await?,
        TrustCommand::Delete { oidc_trust_id } => delete(&pool, oidc_trust_id).await?,
    }
    pool.close().await;
    Ok(())
}

async fn create(pool: &PgPool, arguments: &TrustCreateArguments) -> Result<()> {
    let TrustCreateArguments { project, repository, repository_id, owner_id, issuer, .. } = arguments;
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
    let row = tokens::create_oidc_trust(pool, &By::command_line(), &new).await;
    let row = row.context("cannot store the trust")?;
    eprintln!("created trust {}: CI jobs of {repository} can upload to {project}", row.oidc_trust_id);
    Ok(())
}

async fn list(pool: &PgPool) -> Result<()> {
    let rows = oidc::list(pool, None, 0, i64::MAX).await.context("cannot read the trusts")?;
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

async fn delete(pool: &PgPool, trust: i64) -> Result<()> {
    let deleted = tokens::delete_oidc_trust(pool, &By::command_line(), trust, |_| true).await;
    let deleted = deleted.context("cannot delete the trust")?;
    let row =
        deleted.with_context(|| format!("trust {trust} not found. See `roundtrip-server trust list`"))?;
    eprintln!("deleted trust {trust}: CI jobs of {} can no longer upload to {}", row.repository, row.project);
    Ok(())
}
