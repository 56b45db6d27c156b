//! [`Live`]: notifies clients with an open stream of new runs, even if another server stored them.
//!
//! - An upload is announced after it is committed, by NOTIFY in a separate transaction, together with all others within
//!   250 ms. NOTIFY in the upload's transaction would be simpler but slower: PostgreSQL writes all notifications of a
//!   database in commit order under one lock, so uploads would commit one after the other.
//! - Each server listens on one connection (`listen`), from its first client on, and passes on the announcements. A client
//!   that reads too slowly receives a gap and continues from there, so no queue grows.
//! - Changes that can end access are announced in their own transaction, because they are rare. Each client then
//!   checks its access, which it also does before each message.
//! - Delivery is not guaranteed: a server can stop between commit and NOTIFY, and a connection can break. After a gap or a
//!   reconnect, a client must reload its data.

mod listen;

use crate::error::DomainError;
use roundtrip_storage as db;
use roundtrip_storage::live::NewRun;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use utoipa::ToSchema;
use uuid::Uuid;

const BEHIND_MAX: usize = 256;
/// The time for which new runs are collected before an announcement.
const COLLECTED_FOR: Duration = Duration::from_millis(250);
/// The time for which changes of access are collected, because each announcement makes all clients query the database.
const ACCESS_COLLECTED_FOR: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 1_000 });
/// Maximum number of runs in an announcement: PostgreSQL limits the payload to 8,000 bytes, and a run takes
/// up to 180.
const RUNS_NAMED_MAX: usize = 40;

/// New runs of one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewRuns {
    /// The number of new runs.
    pub run_count: usize,
    /// The newest of them, at most 40.
    pub runs: Vec<NewRun>,
}

/// A message to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveEvent {
    /// There are new runs: [`NewRuns`] as JSON.
    Runs(String),
    /// Some messages may have been lost.
    Gap,
    /// The client may have lost its access.
    AccessChanged,
}

#[derive(Debug, Serialize, Deserialize)]
struct Announcement {
    project: String,
    #[serde(flatten)]
    new: NewRuns,
}

#[derive(Debug)]
enum Received {
    Runs { project: String, data: String },
    Gap,
    AccessChanged,
}

/// The streams of new runs; cheap to clone.
#[derive(Clone, Debug)]
pub struct Live {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    pool: PgPool,
    pending: Mutex<Vec<Uuid>>,
    received: broadcast::Sender<Arc<Received>>,
    is_listening: tokio::sync::Mutex<bool>,
    /// Whether a change of access is being collected.
    is_access_pending: AtomicBool,
    is_closed: watch::Sender<bool>,
}

/// A client that follows one project.
#[derive(Debug)]
pub struct Subscription {
    project: String,
    received: broadcast::Receiver<Arc<Received>>,
    is_closed: watch::Receiver<bool>,
}

impl Live {
    /// For a database.
    pub fn new(pool: PgPool) -> Self {
        Self {
            shared: Arc::new(Shared {
                pool,
                pending: Mutex::default(),
                received: broadcast::Sender::new(BEHIND_MAX),
                is_listening: tokio::sync::Mutex::new(false),
                is_access_pending: AtomicBool::new(false),
                is_closed: watch::Sender::new(false),
            }),
        }
    }

    /// Announces a committed run to the clients of all servers, soon.
    pub fn announce(&self, run_id: Uuid) {
        let is_first = {
            let mut pending = self.pending();
            pending.push(run_id);
            pending.len() == 1
        };
        // Later ones join this announcement.
        if is_first {
            let live = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(COLLECTED_FOR).await;
                live.flush().await;
            });
        }
    }

    /// Announces pending runs immediately, at the end of the process.
    pub async fn flush(&self) {
        let run_ids = std::mem::take(&mut *self.pending());
        if run_ids.is_empty() {
            return;
        }
        if let Err(error) = self.announce_runs(&run_ids).await {
            tracing::warn!(error.cause = %error, "cannot announce {} new runs", run_ids.len());
            self.receive(Received::Gap);
        }
    }

    /// Subscribes to a project. From now on, missed runs are reported as a gap, and changes of access are reported.
    ///
    /// # Errors
    /// The database does not answer, or the server is stopping.
    pub async fn subscribe(&self, project: &str) -> Result<Subscription, DomainError> {
        let shared = &self.shared;
        if *shared.is_closed.borrow() {
            return Err(DomainError::unavailable(anyhow::anyhow!("the server is stopping")));
        }
        let received = shared.received.subscribe();
        let mut is_listening = shared.is_listening.lock().await;
        if !*is_listening {
            let listener = db::live::listen(&shared.pool).await?;
            tokio::spawn(listen::run(self.clone(), listener));
            *is_listening = true;
        }
        Ok(Subscription { project: project.to_owned(), received, is_closed: shared.is_closed.subscribe() })
    }

    /// Ends all streams, and rejects new ones.
    pub fn close(&self) {
        self.shared.is_closed.send_replace(true);
    }

    async fn announce_runs(&self, run_ids: &[Uuid]) -> anyhow::Result<()> {
        let mut projects: BTreeMap<String, Vec<NewRun>> = BTreeMap::new();
        for (project, run) in db::live::stored(&self.shared.pool, run_ids).await? {
            projects.entry(project).or_default().push(run);
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

    /// Makes all clients check their access within [`ACCESS_COLLECTED_FOR`].
    fn access_changed(&self) {
        if self.shared.is_access_pending.swap(true, Ordering::Relaxed) {
            return;
        }
        let live = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(ACCESS_COLLECTED_FOR).await;
            live.shared.is_access_pending.store(false, Ordering::Relaxed);
            live.receive(Received::AccessChanged);
        });
    }

    fn receive(&self, received: Received) {
        // It is not an error if there are no clients.
        let _ = self.shared.received.send(Arc::new(received));
    }

    fn pending(&self) -> MutexGuard<'_, Vec<Uuid>> {
        // The list is valid even after a panic.
        self.shared.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    /// The next message; none when the server is stopping. Check the client's access before you pass it on.
    pub async fn next(&mut self) -> Option<LiveEvent> {
        loop {
            let received = tokio::select! {
                biased;
                _ = self.is_closed.wait_for(|is_closed| *is_closed) => return None,
                received = self.received.recv() => received,
            };
            match received.as_deref() {
                Ok(Received::Runs { project, data }) if *project == self.project => {
                    return Some(LiveEvent::Runs(data.clone()));
                }
                Ok(Received::Runs { .. }) => {}
                Ok(Received::AccessChanged) => return Some(LiveEvent::AccessChanged),
                Ok(Received::Gap) | Err(broadcast::error::RecvError::Lagged(_)) => {
                    return Some(LiveEvent::Gap);
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_announcement_fits() {
        let run = NewRun { run_id: Uuid::max(), machine: "m".repeat(64), commit_ordinal: i64::MIN };
        let new = NewRuns { run_count: usize::MAX, runs: vec![run; RUNS_NAMED_MAX] };
        let text = serde_json::to_string(&Announcement { project: "p".repeat(64), new }).unwrap();
        assert!(text.len() < 8_000, "{}", text.len());
    }

    fn live() -> Live {
        // Connects lazily.
        Live::new(PgPool::connect_lazy("postgres://localhost/none").unwrap())
    }

    /// A client of `libfoo` without a listener: the test sends the messages.
    fn client(live: &Live) -> Subscription {
        Subscription {
            project: "libfoo".into(),
            received: live.shared.received.subscribe(),
            is_closed: live.shared.is_closed.subscribe(),
        }
    }

    fn runs(project: &str, data: &str) -> Received {
        Received::Runs { project: project.into(), data: data.into() }
    }

    #[tokio::test]
    async fn clients_receive_only_their_project() {
        let live = live();
        let mut client = client(&live);
        live.receive(runs("another", "1"));
        live.receive(runs("libfoo", "2"));
        live.receive(Received::Gap);
        assert_eq!(client.next().await, Some(LiveEvent::Runs("2".into())));
        assert_eq!(client.next().await, Some(LiveEvent::Gap));
    }

    #[tokio::test]
    async fn a_slow_client_receives_a_gap_and_continues() {
        let live = live();
        let mut client = client(&live);
        for number in 0..=BEHIND_MAX {
            live.receive(runs("libfoo", &number.to_string()));
        }
        assert_eq!(client.next().await, Some(LiveEvent::Gap));
        assert_eq!(client.next().await, Some(LiveEvent::Runs("1".into())));
    }

    #[tokio::test]
    async fn closing_ends_streams_and_rejects_new_ones() {
        let live = live();
        let mut client = client(&live);
        live.receive(runs("libfoo", "1"));
        live.close();
        assert_eq!(client.next().await, None);
        assert!(matches!(live.subscribe("libfoo").await, Err(DomainError::Unavailable(_))));
    }

    #[tokio::test]
    async fn changes_of_access_are_collected() {
        let live = live();
        let mut client = client(&live);
        for _ in 0..1_000 {
            live.access_changed();
        }
        assert_eq!(client.next().await, Some(LiveEvent::AccessChanged));
        live.receive(Received::Gap);
        assert_eq!(client.next().await, Some(LiveEvent::Gap));
        live.access_changed();
        assert_eq!(client.next().await, Some(LiveEvent::AccessChanged));
    }
}
