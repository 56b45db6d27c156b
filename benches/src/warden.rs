//! One thread a process that now and then looks after those in its care; started with the first of them. The model
//! checker has none (`tests/model/warden.rs`).

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// Between two looks.
const PATIENCE: Duration = Duration::from_millis(50);

/// Somebody in care.
pub(crate) trait Ward: Send + Sync {
    /// Is called once for every look.
    fn look(&self);
}

struct Wards {
    all: Vec<Weak<dyn Ward>>,
    is_watched: bool,
}

static WARDS: Mutex<Wards> = Mutex::new(Wards { all: Vec::new(), is_watched: false });
/// Told when there is another.
static ANOTHER: Condvar = Condvar::new();

fn wards() -> MutexGuard<'static, Wards> {
    WARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes somebody into care for as long as it lives.
///
/// # Errors
/// When the thread cannot be started.
pub(crate) fn take(ward: &Arc<impl Ward + 'static>) -> io::Result<()> {
    let mut wards = wards();
    if !wards.is_watched {
        thread::Builder::new().name("ring-warden".into()).spawn(watch)?;
        wards.is_watched = true;
    }
    let ward: Weak<dyn Ward> = Arc::downgrade(ward) as Weak<dyn Ward>;
    wards.all.push(ward);
    ANOTHER.notify_one();
    Ok(())
}

fn watch() {
    loop {
        thread::sleep(PATIENCE);
        let mut wards = wards();
        wards.all.retain(|ward| ward.strong_count() > 0);
        while wards.all.is_empty() {
            wards = ANOTHER.wait(wards).unwrap_or_else(PoisonError::into_inner);
        }
        // Looking takes a while: others may come into care meanwhile.
        let living: Vec<Arc<dyn Ward>> = wards.all.iter().filter_map(Weak::upgrade).collect();
        drop(wards);
        living.iter().for_each(|ward| ward.look());
    }
}
