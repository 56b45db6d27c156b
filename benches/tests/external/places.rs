//! The placement of a program's threads.

use crate::behaviour::this_program;
use crate::{Test, TestResult};
use roundtrip_bench::sys::affinity;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

pub(crate) const TESTS: &[Test] = &[("pins_threads_that_are_being_started", all_are_pinned)];

fn all_are_pinned() -> TestResult {
    // Not by the existence of /proc: Wine shows the folder of its host.
    if std::env::consts::OS != "linux" {
        return Err("only Linux lists the CPUs of another process's threads".into());
    }
    let cpu = affinity::pair().map_err(|reason| reason.0)?.first;
    for attempt in 0..20 {
        let mut child = this_program()
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

/// For all its threads: `Cpus_allowed_list` in `proc_pid_status(5)`.
fn places(pid: u32) -> BTreeSet<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let place = |thread: fs::DirEntry| {
        let status = fs::read_to_string(thread.path().join("status")).unwrap();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        list.trim().to_owned()
    };
    threads.map(|thread| place(thread.unwrap())).collect()
}
