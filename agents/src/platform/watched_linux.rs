//! Linux: records opened files with inotify(7).

use super::OpenedFiles;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

pub(crate) const CAN_WATCH_FILES: bool = true;

#[derive(Debug)]
pub(crate) struct WatchedFiles {
    inotify: OwnedFd,
    /// The folders by watch, relative to the watched one.
    folders: BTreeMap<i32, PathBuf>,
    files: BTreeSet<PathBuf>,
    links: BTreeMap<PathBuf, PathBuf>,
}

impl WatchedFiles {
    pub(crate) fn of(root: &Path) -> io::Result<Self> {
        let (mut files, mut links) = (BTreeSet::new(), BTreeMap::new());
        let (mut all, mut pending) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(root.join(&folder))? {
                let entry = entry?;
                let (path, kind) = (folder.join(entry.file_name()), entry.file_type()?);
                if path == Path::new(".git") {
                    continue;
                }
                if kind.is_dir() {
                    pending.push(path);
                } else if kind.is_symlink() {
                    let target = entry.path().canonicalize();
                    if !target.is_ok_and(|target| target.starts_with(root)) {
                        links.insert(path, fs::read_link(entry.path())?);
                    }
                } else if kind.is_file() {
                    files.insert(path);
                }
            }
            all.push(folder);
        }
        // After reading them all, which would fill the queue of events.
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let flags = WatchFlags::OPEN | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
        let mut folders = BTreeMap::new();
        for folder in all {
            folders.insert(inotify::add_watch(&inotify, root.join(&folder), flags)?, folder);
        }
        Ok(Self { inotify, folders, files, links })
    }

    pub(crate) fn end(self) -> io::Result<OpenedFiles> {
        let Self { inotify, folders, files, links } = self;
        let mut buffer = [MaybeUninit::uninit(); 1 << 14];
        let mut events = Reader::new(inotify, &mut buffer);
        let mut opened = BTreeSet::new();
        loop {
            let event = match events.next() {
                Ok(event) => event,
                Err(Errno::WOULDBLOCK) => return Ok(OpenedFiles { files: opened, links }),
                Err(error) => return Err(error.into()),
            };
            if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                return Err(io::Error::other("too many events"));
            }
            let (Some(folder), Some(name)) = (folders.get(&event.wd()), event.file_name()) else { continue };
            let path = folder.join(OsStr::from_bytes(name.to_bytes()));
            // Not those that the program has created.
            if files.contains(&path) {
                opened.insert(path);
            }
        }
    }
}
