//! Where the threads of a program are.

use crate::behaviour::myself;
use crate::{Ran, Test};
use roundtrip_bench::sys::affinity;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

pub(crate) const TESTS: &[Test] =
    &[("threads_that_are_being_started_while_their_process_is_pinned_are_pinned_too", all_are_pinned)];

fn all_are_pinned() -> Ran {
    if !Path::new("/proc/self/task").exists() {
        return Err("only Linux tells the places of the threads of another process".into());
    }
    let cpu = affinity::pair().map_err(|reason| reason.0)?.first;
    for attempt in 0..20 {
        let mut child = myself()
            .unwrap()
            .command()
            .arg("start-threads")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "begun");
        affinity::pin_process(child.id(), cpu).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "done");
        let places = places(child.id());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(places, BTreeSet::from([cpu.to_string()]), "attempt {attempt}");
    }
    Ok(())
}

/// Of all its threads: `Cpus_allowed_list` of `proc_pid_status(5)`.
fn places(pid: u32) -> BTreeSet<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let place = |thread: fs::DirEntry| {
        let status = fs::read_to_string(thread.path().join("status")).unwrap();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        list.trim().to_owned()
    };
    threads.map(|thread| place(thread.unwrap())).collect()
}
