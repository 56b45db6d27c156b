//! No warden: a model that lets somebody die has the dead cleared itself, once.

use std::io;
use std::sync::Arc;

pub(crate) trait Ward {
    fn look(&self);
}

pub(crate) fn take(_ward: &Arc<impl Ward>) -> io::Result<()> {
    Ok(())
}
