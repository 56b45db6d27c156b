//! [`Live`]: clients that keep a stream open are told of new runs, whichever server took them in.
//!
//! - An upload is announced after it was committed, by NOTIFY in a transaction of its own, and what arrives within 250 ms
//!   is announced together. NOTIFY in the transaction of the upload would be simpler and slower: PostgreSQL writes all
//!   notifications of a database in the order of their commits, under one lock, so that uploads would commit one after
//!   the other.
//! - Each server listens on one connection (`listen`), from the first client on, and passes on what it hears. A client that
//!   does not read fast enough is told of a gap and goes on from there: nothing piles up for it.
//! - Nobody is promised every event. A server can die between commit and NOTIFY, a connection can break: whoever is told
//!   of a gap, or connects again, asks for what it shows once more.

mod listen;

use crate::error::DomainError;
use roundtrip_storage as db;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch};
use utoipa::ToSchema;
use uuid::Uuid;

const CLIENTS_MAX: usize = 256;
const BEHIND_MAX: usize = 256;
/// For how long new runs are collected.
const COLLECTED_FOR: Duration = Duration::from_millis(250);
/// The most runs that an announcement names: PostgreSQL takes less than 8,000 bytes, and each has up to 180.
const RUNS_NAMED_MAX: usize = 40;

/// New runs of one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewRuns {
    /// How many.
    pub run_count: usize,
    /// The newest of them, at most 40.
    pub runs: Vec<NewRun>,
}

/// A run that was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewRun {
    /// Which one.
    pub run_id: Uuid,
    /// Where it was measured.
    pub machine: String,
    /// The place of its commit.
    pub commit_ordinal: i64,
}

/// What a client is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// There are new runs: [`NewRuns`] as JSON.
    Runs(String),
    /// Something may have been missed.
    Gap,
}

#[derive(Debug, Serialize, Deserialize)]
struct Announcement {
    project: String,
    #[serde(flatten)]
    new: NewRuns,
}

#[derive(Debug)]
enum Heard {
    Runs { project: String, data: String },
    Gap,
}

/// What is announced and followed; cheap to clone.
#[derive(Clone, Debug)]
pub struct Live {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    pool: PgPool,
    pending: Mutex<Vec<Uuid>>,
    heard: broadcast::Sender<Arc<Heard>>,
    clients: Arc<Semaphore>,
    is_listening: tokio::sync::Mutex<bool>,
    is_closed: watch::Sender<bool>,
}

/// One client that follows one project.
#[derive(Debug)]
pub struct Subscription {
    project: String,
    heard: broadcast::Receiver<Arc<Heard>>,
    is_closed: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
}

impl Live {
    /// Over a database.
    pub fn new(pool: PgPool) -> Self {
        Self {
            shared: Arc::new(Shared {
                pool,
                pending: Mutex::default(),
                heard: broadcast::Sender::new(BEHIND_MAX),
                clients: Arc::new(Semaphore::new(CLIENTS_MAX)),
                is_listening: tokio::sync::Mutex::new(false),
                is_closed: watch::Sender::new(false),
            }),
        }
    }

    /// Tells all clients of all servers of a run that has been committed, soon.
    pub fn announce(&self, run_id: Uuid) {
        let is_first = {
            let mut pending = self.pending();
            pending.push(run_id);
            pending.len() == 1
        };
        // Those that come meanwhile go along.
        if is_first {
            let live = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(COLLECTED_FOR).await;
                live.flush().await;
            });
        }
    }

    /// Announces at once what waits to be announced: at the end of the process.
    pub async fn flush(&self) {
        let run_ids = std::mem::take(&mut *self.pending());
        if run_ids.is_empty() {
            return;
        }
        if let Err(error) = self.tell(&run_ids).await {
            tracing::warn!(error.cause = %error, "{} new runs could not be announced", run_ids.len());
            self.hear(Heard::Gap);
        }
    }

    /// Follows a project. From when this returns on, nothing is missed without a gap being told.
    ///
    /// # Errors
    /// There are too many clients, the database does not answer, or the server is about to end.
    pub async fn subscribe(&self, project: &str) -> Result<Subscription, DomainError> {
        let shared = &self.shared;
        if *shared.is_closed.borrow() {
            return Err(DomainError::unavailable(anyhow::anyhow!("the server is about to end")));
        }
        let place = Arc::clone(&shared.clients).try_acquire_owned();
        let place = place.map_err(|_| {
            DomainError::unavailable(anyhow::anyhow!("all {CLIENTS_MAX} streams of this server are taken"))
        })?;
        let heard = shared.heard.subscribe();
        let mut is_listening = shared.is_listening.lock().await;
        if !*is_listening {
            let listener = db::live::listen(&shared.pool).await?;
            tokio::spawn(listen::run(self.clone(), listener));
            *is_listening = true;
        }
        Ok(Subscription {
            project: project.to_owned(),
            heard,
            is_closed: shared.is_closed.subscribe(),
            _place: place,
        })
    }

    /// Ends all streams, and lets none begin.
    pub fn close(&self) {
        self.shared.is_closed.send_replace(true);
    }

    async fn tell(&self, run_ids: &[Uuid]) -> anyhow::Result<()> {
        let mut projects: BTreeMap<String, Vec<NewRun>> = BTreeMap::new();
        for row in db::live::stored(&self.shared.pool, run_ids).await? {
            let run = NewRun { run_id: row.run_id, machine: row.machine, commit_ordinal: row.commit_ordinal };
            projects.entry(row.project).or_default().push(run);
        }
        let payloads = projects.into_iter().map(|(project, mut runs)| {
            runs.sort_unstable_by_key(|run| std::cmp::Reverse(run.run_id));
            let run_count = runs.len();
            runs.truncate(RUNS_NAMED_MAX);
            serde_json::to_string(&Announcement { project, new: NewRuns { run_count, runs } })
        });
        let payloads: Vec<_> = payloads.collect::<Result<_, _>>()?;
        Ok(db::live::notify(&self.shared.pool, &payloads).await?)
    }

    fn hear(&self, heard: Heard) {
        // It is no error that nobody listens.
        let _ = self.shared.heard.send(Arc::new(heard));
    }

    fn pending(&self) -> MutexGuard<'_, Vec<Uuid>> {
        // A list of numbers is whole, whoever panicked with it.
        self.shared.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    /// What comes next; nothing when the server is about to end.
    pub async fn next(&mut self) -> Option<Told> {
        loop {
            let heard = tokio::select! {
                biased;
                _ = self.is_closed.wait_for(|is_closed| *is_closed) => return None,
                heard = self.heard.recv() => heard,
            };
            match heard.as_deref() {
                Ok(Heard::Runs { project, data }) if *project == self.project => {
                    return Some(Told::Runs(data.clone()));
                }
                Ok(Heard::Runs { .. }) => {}
                Ok(Heard::Gap) | Err(broadcast::error::RecvError::Lagged(_)) => return Some(Told::Gap),
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_announcement_fits_into_a_notification() {
        let run = NewRun { run_id: Uuid::max(), machine: "m".repeat(64), commit_ordinal: i64::MIN };
        let new = NewRuns { run_count: usize::MAX, runs: vec![run; RUNS_NAMED_MAX] };
        let text = serde_json::to_string(&Announcement { project: "p".repeat(64), new }).unwrap();
        assert!(text.len() < 8_000, "{}", text.len());
    }

    fn live() -> Live {
        // Nothing connects before it has to.
        Live::new(PgPool::connect_lazy("postgres://localhost/none").unwrap())
    }

    /// A client of `libfoo`, without a listener: the test is what is heard.
    fn client(live: &Live) -> Subscription {
        Subscription {
            project: "libfoo".into(),
            heard: live.shared.heard.subscribe(),
            is_closed: live.shared.is_closed.subscribe(),
            _place: Arc::clone(&live.shared.clients).try_acquire_owned().unwrap(),
        }
    }

    fn runs(project: &str, data: &str) -> Heard {
        Heard::Runs { project: project.into(), data: data.into() }
    }

    #[tokio::test]
    async fn a_client_hears_of_its_project_alone() {
        let live = live();
        let mut client = client(&live);
        live.hear(runs("another", "1"));
        live.hear(runs("libfoo", "2"));
        live.hear(Heard::Gap);
        assert_eq!(client.next().await, Some(Told::Runs("2".into())));
        assert_eq!(client.next().await, Some(Told::Gap));
    }

    #[tokio::test]
    async fn a_slow_client_is_told_of_a_gap_and_goes_on() {
        let live = live();
        let mut client = client(&live);
        for number in 0..=BEHIND_MAX {
            live.hear(runs("libfoo", &number.to_string()));
        }
        assert_eq!(client.next().await, Some(Told::Gap));
        assert_eq!(client.next().await, Some(Told::Runs("1".into())));
    }

    #[tokio::test]
    async fn the_end_of_the_server_ends_streams_and_lets_none_begin() {
        let live = live();
        let mut client = client(&live);
        live.hear(runs("libfoo", "1"));
        live.close();
        assert_eq!(client.next().await, None);
        assert!(matches!(live.subscribe("libfoo").await, Err(DomainError::Unavailable(_))));
    }

    #[tokio::test]
    async fn there_are_so_many_streams_and_no_more() {
        let live = live();
        let clients: Vec<_> = (0..CLIENTS_MAX).map(|_| client(&live)).collect();
        let refused = live.subscribe("libfoo").await.unwrap_err();
        assert!(matches!(&refused, DomainError::Unavailable(cause) if cause.to_string().contains("taken")));
        drop(clients);
        assert!(Arc::clone(&live.shared.clients).try_acquire_owned().is_ok());
    }
}
