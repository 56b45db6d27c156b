//! The one connection of a server that listens, for as long as the server lives.

use super::{Announcement, Heard, Live};
use roundtrip_storage as db;
use sqlx::postgres::PgListener;
use std::time::Duration;

/// A connection on which nothing was heard for so long is asked whether it still is one: what lies between may have
/// forgotten it without a word.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);

/// Passes on what is heard, until the server ends.
pub(super) async fn run(live: Live, mut listener: PgListener) {
    let mut is_closed = live.shared.is_closed.subscribe();
    let passing_on = async {
        loop {
            match hear(&mut listener).await {
                Ok(Some(heard)) => live.hear(heard),
                // The connection was lost, and is there again.
                Ok(None) => live.hear(Heard::Gap),
                Err(sqlx::Error::PoolClosed) => return,
                Err(error) => {
                    tracing::warn!(error.cause = %error, "new runs of other servers are not heard of");
                    let Some(again) = reconnect(&live).await else { return };
                    listener = again;
                    live.hear(Heard::Gap);
                }
            }
        }
    };
    tokio::select! {
        _ = is_closed.wait_for(|is_closed| *is_closed) => {}
        () = passing_on => {}
    }
}

/// The next announcement; nothing after the connection was lost for a moment.
async fn hear(listener: &mut PgListener) -> sqlx::Result<Option<Heard>> {
    loop {
        match tokio::time::timeout(CHECK_INTERVAL, listener.try_recv()).await {
            Ok(notification) => return Ok(notification?.map(|notification| parse(notification.payload()))),
            Err(_) => {
                let check = tokio::time::timeout(CHECK_TIMEOUT, db::live::check(listener)).await;
                check.map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??;
            }
        }
    }
}

/// A server of another version may announce what this one does not understand: something is new.
fn parse(payload: &str) -> Heard {
    let parsed = serde_json::from_str::<Announcement>(payload)
        .and_then(|announcement| Ok((announcement.project, serde_json::to_string(&announcement.new)?)));
    match parsed {
        Ok((project, data)) => Heard::Runs { project, data },
        Err(_) => Heard::Gap,
    }
}

/// Tries until it succeeds; nothing when the server is about to end.
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
