//! [`Disk`]: a disk that a test can fill.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A small disk, unmounted when dropped.
pub(crate) struct Disk {
    at: PathBuf,
}

impl Disk {
    /// Prints the reason if there can be none.
    pub(crate) fn mount(at: &Path, mebibytes: u64) -> Option<Self> {
        let options = format!("size={mebibytes}m,mode=0755");
        let status =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).status().unwrap();
        if !status.success() {
            println!("a full disk does not apply: this system does not let root mount a file system");
        }
        status.success().then(|| Self { at: at.to_path_buf() })
    }

    pub(crate) fn resize(&self, mebibytes: u64) {
        let options = format!("remount,size={mebibytes}m");
        assert!(Command::new("mount").args(["-o", &options]).arg(&self.at).status().unwrap().success());
    }

    /// Shrinks it until this much space is left.
    pub(crate) fn leave(&self, mebibytes: u64) {
        let stat = rustix::fs::statvfs(&self.at).unwrap();
        let used = (stat.f_blocks - stat.f_bfree) * stat.f_frsize;
        self.resize(used.div_ceil(1 << 20) + mebibytes);
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.at).status();
    }
}
