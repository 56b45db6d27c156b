//! The kernel's buffer for the records of events of one processor, and its records (`perf_event_open(2)`).

use crate::sys::handle::Handle;
use crate::sys::shared_memory::Mapping;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// A record, without its names of this process and thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// A call stack, innermost first, after `period` of what the event counts.
    Sample { pid: u32, tid: u32, time_ns: u64, period: u64, chain: Vec<u64> },
    /// A thread stops or continues to run.
    Switch { pid: u32, tid: u32, time_ns: u64, is_out: bool },
    /// The buffer was full.
    Lost(u64),
}

// From <linux/perf_event.h>.
const HEADER_BYTES: usize = 8;
const LOST: u32 = 2;
const SAMPLE: u32 = 9;
const SWITCH: u32 = 14;
const IS_OUT: u16 = 1 << 13;
/// Of `struct perf_event_mmap_page`, the page before the records.
const HEAD_AT: usize = 1024;
const TAIL_AT: usize = 1032;

#[derive(Debug)]
pub(super) struct Ring {
    mapping: Mapping,
    page_bytes: usize,
}

impl Ring {
    /// Maps the buffer of this event with this size, a power of two, or the largest that the system allows.
    pub(super) fn map(event: &Handle, bytes_max: usize) -> io::Result<Self> {
        let page_bytes = rustix::param::page_size();
        let mut bytes = bytes_max.max(page_bytes);
        loop {
            match Mapping::new(event, page_bytes + bytes) {
                Ok(mapping) => return Ok(Self { mapping, page_bytes }),
                Err(error) if bytes <= page_bytes => return Err(error),
                Err(_) => bytes /= 2,
            }
        }
    }

    /// Passes on all records so far, and frees their space.
    pub(super) fn drain(&self, note: &mut impl FnMut(Record)) {
        let head = self.position(HEAD_AT).load(Ordering::Acquire);
        let mut tail = self.position(TAIL_AT).load(Ordering::Relaxed);
        while tail < head {
            let header = self.copy(tail, HEADER_BYTES);
            let mut words = Words(&header);
            let (kind, misc, bytes) = (words.u32(), words.u16(), usize::from(words.u16()));
            if bytes < HEADER_BYTES {
                break;
            }
            if let Some(record) = parse(kind, misc, &self.copy(tail, bytes)[HEADER_BYTES..]) {
                note(record);
            }
            tail += bytes as u64;
        }
        // Everything up to the head, also after a record that is not understood.
        self.position(TAIL_AT).store(head, Ordering::Release);
    }

    #[expect(unsafe_code, reason = "positions in memory that the kernel shares")]
    fn position(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the first page is mapped as long as `self` lives, and the offset is a multiple of eight. The kernel
        // expects atomic accesses.
        unsafe { AtomicU64::from_ptr(self.mapping.address().as_ptr().add(at).cast()) }
    }

    /// Copies bytes at a position, which may continue at the start of the buffer.
    fn copy(&self, position: u64, bytes: usize) -> Vec<u8> {
        let size = self.mapping.bytes() - self.page_bytes;
        #[expect(clippy::cast_possible_truncation, reason = "less than the size of the mapping")]
        let start = (position % size as u64) as usize;
        let first = bytes.min(size - start);
        let mut copy = Vec::with_capacity(bytes);
        for (from, bytes) in [(start, first), (0, bytes - first)] {
            copy.extend_from_slice(self.range(from, bytes));
        }
        copy
    }

    #[expect(unsafe_code, reason = "memory that the kernel shares")]
    fn range(&self, from: usize, bytes: usize) -> &[u8] {
        // SAFETY: the range is mapped, and the kernel does not write between tail and head.
        unsafe {
            std::slice::from_raw_parts(self.mapping.address().as_ptr().add(self.page_bytes + from), bytes)
        }
    }
}

/// Reads the contents of a record with the sample type of this module; `None` for other kinds.
fn parse(kind: u32, misc: u16, contents: &[u8]) -> Option<Record> {
    let mut words = Words(contents);
    match kind {
        SAMPLE => {
            let (pid, tid, time_ns, period) = (words.u32(), words.u32(), words.u64(), words.u64());
            let length = words.u64();
            let chain = (0..length).map_while(|_| (!words.0.is_empty()).then(|| words.u64())).collect();
            Some(Record::Sample { pid, tid, time_ns, period, chain })
        }
        SWITCH => {
            let (pid, tid, time_ns) = (words.u32(), words.u32(), words.u64());
            Some(Record::Switch { pid, tid, time_ns, is_out: misc & IS_OUT != 0 })
        }
        LOST => {
            let _event = words.u64();
            Some(Record::Lost(words.u64()))
        }
        _ => None,
    }
}

/// Numbers, one after the other; zero after the end.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn take<const BYTES: usize>(&mut self) -> [u8; BYTES] {
        let (first, rest) =
            self.0.split_first_chunk().map_or(([0; BYTES], &[][..]), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    fn u16(&mut self) -> u16 {
        u16::from_ne_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_ne_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_ne_bytes(self.take())
    }
}
