//! One thread per process that polls registered objects; started with the first of them. The model checker has none
//! (`tests/model/watchdog.rs`).

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) trait Watched: Send + Sync {
    fn look(&self);
}

struct WatchList {
    all: Vec<Weak<dyn Watched>>,
    is_watched: bool,
}

static WATCH_LIST: Mutex<WatchList> = Mutex::new(WatchList { all: Vec::new(), is_watched: false });
/// Notified when another object is registered.
static REGISTERED: Condvar = Condvar::new();

fn list() -> MutexGuard<'static, WatchList> {
    WATCH_LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn watch(watched: &Arc<impl Watched + 'static>) -> io::Result<()> {
    let mut list = list();
    if !list.is_watched {
        thread::Builder::new().name("ring-watchdog".into()).spawn(poll)?;
        list.is_watched = true;
    }
    let watched: Weak<dyn Watched> = Arc::downgrade(watched) as Weak<dyn Watched>;
    list.all.push(watched);
    REGISTERED.notify_one();
    Ok(())
}

fn poll() {
    loop {
        thread::sleep(POLL_INTERVAL);
        let mut list = list();
        list.all.retain(|watched| watched.strong_count() > 0);
        while list.all.is_empty() {
            list = REGISTERED.wait(list).unwrap_or_else(PoisonError::into_inner);
        }
        // Polling takes a while: others may be added in the meantime.
        let alive: Vec<Arc<dyn Watched>> = list.all.iter().filter_map(Weak::upgrade).collect();
        drop(list);
        alive.iter().for_each(|watched| watched.look());
    }
}
