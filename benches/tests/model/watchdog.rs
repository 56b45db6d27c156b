//! No watchdog: a model in which a member dies clears its seat itself, once.

use std::io;
use std::sync::Arc;

pub(crate) trait Watched {
    fn look(&self);
}

pub(crate) fn watch(_watched: &Arc<impl Watched>) -> io::Result<()> {
    Ok(())
}
