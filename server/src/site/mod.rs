//! A site without a server: the web interface, with the API's answers as files.
//!
//! The answers come from this server's API over a database with the same reports, so a site shows what a server would.
//!
//! # Codemap
//! - [`reports`]: finds and stores reports.
//! - `answers`: which answers a site has. `web/src/site/` reads them.
//! - `folder`: writes files, and keeps those that have not changed.

mod answers;
mod folder;
pub mod reports;

use crate::{AppState, assets, auth_settings};
use anyhow::{Context, Result};
use chrono::Utc;
use folder::Folder;
pub use folder::check as check_folder;
use roundtrip_domain::tasks::error_rates;
use roundtrip_storage as db;
use std::path::Path;
use std::sync::Arc;

/// A site never limits its own requests.
const UNLIMITED: auth_settings::Settings = auth_settings::Settings {
    is_private: false,
    requests_per_minute: u32::MAX,
    trusted_proxies: auth_settings::TrustedProxies(Vec::new()),
};

/// The size of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its files.
    pub file_count: usize,
    /// Their size in bytes.
    pub byte_count: u64,
    /// The files that are new or have changed.
    pub changed_count: usize,
    /// The files of the previous site that were removed.
    pub removed_count: usize,
}

/// The state for a temporary database whose contents become a site.
pub fn state(pool: sqlx::PgPool) -> AppState {
    AppState::new(pool).with_auth(UNLIMITED)
}

/// Searches all stored runs for changes and counts error rates, as a server does in the background. All times of the
/// server's own clock become times of runs, so that the same reports always give the same site.
///
/// # Errors
/// The database does not answer.
pub async fn analyse(state: &AppState) -> Result<()> {
    while state.analyst().search().await.context("cannot search for changes")?.run_count > 0 {}
    error_rates::count(&state.pool, Utc::now(), None, &|| false).await.context("cannot count error rates")?;
    db::site::settle_times(&state.pool).await.context("cannot settle the times of the site")
}

/// Writes the site into a folder, which may contain an earlier one.
///
/// # Errors
/// The folder contains other files or cannot be written, this program was built without its web interface, or the
/// database does not answer.
pub async fn write(state: &AppState, folder: &Path) -> Result<Written> {
    let assets = assets::site()?;
    let folder = Arc::new(Folder::open(folder, &answers::extent()?)?);
    for (path, bytes) in assets {
        folder.write(&path, &bytes)?;
    }
    answers::write(state.clone(), Arc::clone(&folder)).await?;
    folder.finish()
}
