//! Folder trees that a job has written. They may be deeper than a path is long or a process has open files, and change while
//! they are read. These functions follow no links, and open two folders at a time.

use super::imp::with_files_of;
use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, Stat, Uid, chmodat, chownat, fchmod, fchown, fstat, openat,
    statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The least space that is counted for a file: without it, empty files could use up all of a disk's entries.
const FILE_BYTES_MIN: u64 = 4096;

/// The unit of `st_blocks` (stat(2)).
const BLOCK_BYTES: u64 = 512;

/// The bytes on disk of a folder's contents. Stops counting when there are more than `bytes_max`.
///
/// # Errors
/// If a folder cannot be read.
pub(crate) fn bytes_in(folder: &Path, bytes_max: u64) -> io::Result<u64> {
    let mut bytes = 0;
    let counted = walk(
        &open(folder)?,
        &mut |_, _, about| {
            bytes += (u64::try_from(about.st_blocks).unwrap_or(0) * BLOCK_BYTES).max(FILE_BYTES_MIN);
            if bytes > bytes_max { Err(io::ErrorKind::QuotaExceeded.into()) } else { Ok(()) }
        },
        &mut |_, _| Ok(()),
    );
    if bytes > bytes_max { Ok(bytes) } else { counted.map(|()| bytes) }
}

/// Changes the owner of a folder and its contents.
///
/// # Errors
/// If a file has several names: one of them may be outside of the folder.
pub(crate) fn give(folder: &Path, user_id: u32, group_id: u32) -> io::Result<()> {
    let (user, group) = (Some(Uid::from_raw(user_id)), Some(Gid::from_raw(group_id)));
    let root = open(folder)?;
    walk(
        &root,
        &mut |within, name, about| {
            if about.st_nlink > 1 && !is_folder(about) {
                return Err(io::Error::other(format!(
                    "{} has {} links: expected one",
                    name.to_string_lossy(),
                    about.st_nlink
                )));
            }
            Ok(chownat(within, name, user, group, AtFlags::SYMLINK_NOFOLLOW)?)
        },
        &mut |_, _| Ok(()),
    )?;
    Ok(fchown(&root, user, group)?)
}

/// Deletes a folder, or a file. Deletes a folder's contents with the permissions of its owner.
///
/// # Errors
/// If it does not exist, or something in it belongs to another user.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    let about = std::fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return std::fs::remove_file(path);
    }
    let root = open(path)?;
    fchmod(&root, Mode::RWXU)?;
    with_files_of(about.uid(), about.gid(), || empty(&root))?;
    std::fs::remove_dir(path)
}

fn empty(root: &OwnedFd) -> io::Result<()> {
    walk(
        root,
        &mut |within, name, about| {
            // A folder without permissions cannot be read.
            let change = if is_folder(about) {
                chmodat(within, name, Mode::RWXU, AtFlags::empty())
            } else {
                unlinkat(within, name, AtFlags::empty())
            };
            Ok(change?)
        },
        &mut |within, name| Ok(unlinkat(within, name, AtFlags::REMOVEDIR)?),
    )
}

fn open(folder: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(folder, FOLDER, Mode::empty())?)
}

fn is_folder(about: &Stat) -> bool {
    FileType::from_raw_mode(about.st_mode) == FileType::Directory
}

/// Handles an entry of a folder, named with its status.
type Enter<'a> = dyn FnMut(BorrowedFd<'_>, &CStr, &Stat) -> io::Result<()> + 'a;
/// Handles a subfolder after its contents.
type Leave<'a> = dyn FnMut(BorrowedFd<'_>, &CStr) -> io::Result<()> + 'a;

/// A folder between the root and the current one.
struct Level {
    name: CString,
    /// Device and number.
    id: (u64, u64),
    /// Not visited yet.
    subfolders: Vec<CString>,
}

/// Calls `enter` for each entry, a folder before its contents, and `leave` for each folder after them. Skips what other
/// processes move or delete meanwhile.
fn walk(root: &OwnedFd, enter: &mut Enter<'_>, leave: &mut Leave<'_>) -> io::Result<()> {
    let mut here = openat(root, c".", FOLDER, Mode::empty())?;
    let mut levels = vec![Level::read(CString::default(), &here, enter)?];
    while let Some(level) = levels.last_mut() {
        if let Some(name) = level.subfolders.pop() {
            let below = match openat(&here, &name, FOLDER, Mode::empty()) {
                Ok(below) => below,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
                Err(error) => return Err(error.into()),
            };
            levels.push(Level::read(name, &below, enter)?);
            here = below;
            continue;
        }
        let Some(Level { name, .. }) = levels.pop() else { break };
        let depth = levels.len();
        if depth == 0 {
            break;
        }
        here = above(&here, &mut levels, root)?;
        if levels.len() == depth {
            leave(here.as_fd(), &name)?;
        }
    }
    Ok(())
}

impl Level {
    fn read(name: CString, folder: &OwnedFd, enter: &mut Enter<'_>) -> io::Result<Self> {
        let mut names = Vec::new();
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            if ![c".", c".."].contains(&entry.file_name()) {
                names.push(entry.file_name().to_owned());
            }
        }
        let mut subfolders = Vec::new();
        for name in names {
            let about = match statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(about) => about,
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            };
            enter(folder.as_fd(), &name, &about)?;
            if is_folder(&about) {
                subfolders.push(name);
            }
        }
        Ok(Self { name, id: id(folder)?, subfolders })
    }
}

/// The folder of the last level. If the current one was moved or deleted, drops the levels that are no longer there.
fn above(here: &OwnedFd, levels: &mut Vec<Level>, root: &OwnedFd) -> io::Result<OwnedFd> {
    let is_at = |found: &OwnedFd, level: &Level| id(found).is_ok_and(|found| found == level.id);
    let up = openat(here, c"..", FOLDER, Mode::empty());
    if let (Ok(up), Some(last)) = (up, levels.last())
        && is_at(&up, last)
    {
        return Ok(up);
    }
    let mut folder = openat(root, c".", FOLDER, Mode::empty())?;
    for depth in 1..levels.len() {
        let below = openat(&folder, &levels[depth].name, FOLDER, Mode::empty());
        match below {
            Ok(below) if is_at(&below, &levels[depth]) => folder = below,
            _ => {
                levels.truncate(depth);
                break;
            }
        }
    }
    Ok(folder)
}

fn id(folder: &OwnedFd) -> io::Result<(u64, u64)> {
    let about = fstat(folder)?;
    Ok((about.st_dev as u64, about.st_ino as u64))
}

#[cfg(test)]
mod attack {
    use super::*;
    use std::os::unix::fs::{chown, symlink};

    /// Makes folders in each other, with a file in the last, and returns the path of the first.
    fn deep(parent: &Path, depth: usize) -> std::path::PathBuf {
        let root = parent.join("root");
        std::fs::create_dir(&root).unwrap();
        let mut folder = open(&root).unwrap();
        for _ in 0..depth {
            rustix::fs::mkdirat(&folder, c"d", Mode::RWXU).unwrap();
            folder = openat(&folder, c"d", FOLDER, Mode::empty()).unwrap();
        }
        let new = OFlags::CREATE | OFlags::WRONLY;
        rustix::io::write(openat(&folder, c"file", new, Mode::RWXU).unwrap(), &[1; 100_000]).unwrap();
        root
    }

    #[test]
    fn counts_and_removes_six_thousand_folders_in_each_other() {
        let parent = tempfile::tempdir().unwrap();
        let root = deep(parent.path(), 6_000);
        assert!(bytes_in(&root, u64::MAX).unwrap() > 6_000 * FILE_BYTES_MIN + 100_000);
        assert!(bytes_in(&root, 50_000).unwrap() < 100_000, "it counts on beyond the limit");
        remove_tree(&root).unwrap();
        assert!(!root.exists());
    }

    #[test]
    fn removes_folders_without_permissions_and_follows_no_links() {
        let parent = tempfile::tempdir().unwrap();
        let kept = parent.path().join("kept");
        std::fs::write(&kept, "").unwrap();
        let root = deep(parent.path(), 2);
        symlink(parent.path(), root.join("link")).unwrap();
        std::fs::set_permissions(root.join("d"), std::os::unix::fs::PermissionsExt::from_mode(0o0)).unwrap();
        remove_tree(&root).unwrap();
        assert!(kept.exists() && !root.exists());
    }

    #[test]
    fn removes_only_what_the_owner_may_remove() {
        let parent = tempfile::tempdir().unwrap();
        let root = deep(parent.path(), 1);
        if chown(&root, Some(65_534), Some(65_534)).is_err() {
            println!("not run, because only root can give files to another user");
            return;
        }
        // `d` belongs to root.
        let refused = remove_tree(&root).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "{refused}");
        assert!(root.join("d/file").exists());
        give(&root, 65_534, 65_534).unwrap();
        remove_tree(&root).unwrap();
    }

    #[test]
    fn gives_no_file_with_two_names() {
        let parent = tempfile::tempdir().unwrap();
        let root = deep(parent.path(), 0);
        let outside = parent.path().join("outside");
        std::fs::hard_link(root.join("file"), &outside).unwrap();
        let refused = give(&root, 65_534, 65_534).unwrap_err();
        assert!(refused.to_string().contains("file has 2 links"), "{refused}");
        assert_eq!(std::fs::metadata(outside).unwrap().uid(), rustix::process::geteuid().as_raw());
    }

    #[test]
    fn counts_on_when_a_folder_moves_meanwhile() {
        let parent = tempfile::tempdir().unwrap();
        let root = deep(parent.path(), 3);
        let folder = open(&root).unwrap();
        let (mut names, moved) = (Vec::new(), parent.path().join("moved"));
        std::fs::create_dir(root.join("e")).unwrap();
        walk(
            &folder,
            &mut |_, name, _| {
                names.push(name.to_owned());
                if name == c"file" {
                    std::fs::rename(root.join("d/d"), &moved).unwrap();
                }
                Ok(())
            },
            &mut |_, _| Ok(()),
        )
        .unwrap();
        names.sort();
        assert_eq!(names, [c"d", c"d", c"d", c"e", c"file"].map(CStr::to_owned));
    }
}
