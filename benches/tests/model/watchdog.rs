//! No watchdog: a model that lets somebody die has the dead cleared itself, once.

use std::io;
use std::sync::Arc;

pub(crate) trait Watched {
    fn look(&self);
}

pub(crate) fn watch(_watched: &Arc<impl Watched>) -> io::Result<()> {
    Ok(())
}
