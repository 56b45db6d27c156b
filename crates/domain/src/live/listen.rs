//! The connection on which a server listens for announcements.

use super::{Announcement, Live, Received};
use roundtrip_storage as db;
use sqlx::postgres::{PgListener, PgNotification};
use std::time::Duration;

/// The idle time after which the connection is checked: a device on the path may have dropped it silently.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);

/// Passes on notifications until the server stops.
pub(super) async fn run(live: Live, mut listener: PgListener) {
    let mut is_closed = live.shared.is_closed.subscribe();
    let passing_on = async {
        loop {
            match receive(&mut listener).await {
                Ok(Some(notification)) if db::live::is_about_access(&notification) => live.access_changed(),
                Ok(Some(notification)) => live.receive(parse(notification.payload())),
                // The connection was lost and restored.
                Ok(None) => live.receive(Received::Gap),
                Err(sqlx::Error::PoolClosed) => return,
                Err(error) => {
                    tracing::warn!(error.cause = %error, "cannot listen for new runs of other servers; will retry");
                    let Some(again) = reconnect(&live).await else { return };
                    listener = again;
                    live.receive(Received::Gap);
                }
            }
        }
    };
    tokio::select! {
        _ = is_closed.wait_for(|is_closed| *is_closed) => {}
        () = passing_on => {}
    }
}

/// The next notification; none if the connection was lost and restored.
async fn receive(listener: &mut PgListener) -> sqlx::Result<Option<PgNotification>> {
    loop {
        match tokio::time::timeout(CHECK_INTERVAL, listener.try_recv()).await {
            Ok(notification) => return notification,
            Err(_) => {
                let check = tokio::time::timeout(CHECK_TIMEOUT, db::live::check(listener)).await;
                check.map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??;
            }
        }
    }
}

/// A server of another version may send a payload that this one does not understand. Treat it as a gap.
fn parse(payload: &str) -> Received {
    let parsed = serde_json::from_str::<Announcement>(payload)
        .and_then(|announcement| Ok((announcement.project, serde_json::to_string(&announcement.new)?)));
    match parsed {
        Ok((project, data)) => Received::Runs { project, data },
        Err(_) => Received::Gap,
    }
}

/// Retries until it succeeds; none when the server is stopping.
async fn reconnect(live: &Live) -> Option<PgListener> {
    loop {
        tokio::time::sleep(RECONNECT_INTERVAL).await;
        match db::live::listen(&live.shared.pool).await {
            Ok(listener) => return Some(listener),
            Err(sqlx::Error::PoolClosed) => return None,
            Err(_) => {}
        }
    }
}
