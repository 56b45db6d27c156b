//! Arguments of `roundtrip record`: whose messages are counted, how, and for how long.

use super::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The process whose calls are recorded, with all of its threads.
    #[arg(long, value_name = "PID", required_unless_present = "node")]
    pub(crate) pid: Option<u32>,
    /// For how long; Ctrl-C ends it earlier, with what was recorded so far.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// What records [default: the first of them that can].
    #[arg(long, value_enum)]
    pub(crate) by: Option<By>,
    /// Which calls are counted. Every message is sent once, but a stream may be received in other pieces.
    #[arg(long, value_enum, default_value_t = Counted::Sends)]
    pub(crate) count: Counted,
    /// Record the processes too that it starts meanwhile.
    #[arg(long)]
    pub(crate) children: bool,
    /// Also write the profile to this file: CSV, `from_bytes,to_bytes,count`.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What to print: text for people, or JSON.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Only write the module with which a program of Node counts its own messages: `node --require FILE`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pid", "by", "children", "output"])]
    pub(crate) node: Option<PathBuf>,
}

/// What records a process, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// The kernel's tracepoints of system calls, by perf(1).
    Perf,
    /// strace(1), which stops the process at every call.
    Strace,
}

/// Which calls are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counted {
    /// write, writev, sendto, sendmsg.
    Sends,
    /// read, readv, recvfrom, recvmsg.
    Receives,
}
