//! FreeBSD: hwpmc(4) through libpmc (pmc(3)), loaded when first needed (dlopen(3)), for the processor; getrusage(2) of
//! the thread for the scheduler.

use super::{Count, Set};
use crate::sys::kinfo;
use crate::sys::usage::{self, Usage};
use libc::{c_char, c_int, c_uint, c_void};
use std::cell::Cell;
use std::ffi::CStr;
use std::io;
use std::mem::transmute_copy;
use std::sync::OnceLock;

/// Open events, in the order in which they were opened.
#[derive(Debug, Default)]
pub(super) struct Events {
    hardware: Vec<Hardware>,
    scheduler: Vec<&'static str>,
    /// The thread's usage at the start, and between start and stop.
    used: Cell<Usage>,
}

#[derive(Debug)]
struct Hardware {
    name: &'static str,
    id: Id,
    library: &'static Library,
    /// Whether the last start succeeded: a stopped counter can be read too.
    runs: Cell<bool>,
    counted: Cell<Option<u64>>,
}

impl Events {
    pub(super) fn open(&mut self, name: &'static str) -> Result<(), String> {
        if Set::Scheduler.names().contains(&name) {
            if name == "cpu_migrations" {
                return Err("the system does not report migrations".into());
            }
            self.scheduler.push(name);
            return Ok(());
        }
        let event = event(name).ok_or("libpmc has no common name for it")?;
        match kinfo::process(std::process::id()).map(|process| process.ki_numthreads) {
            Some(1) => {}
            Some(threads) => {
                return Err(format!(
                    "hwpmc counts all threads of a process together, and this one has {threads}"
                ));
            }
            None => return Err("unknown number of threads in this process".into()),
        }
        let library = library()?;
        let id = library.allocate(event)?;
        self.hardware.push(Hardware { name, id, library, runs: Cell::new(false), counted: Cell::new(None) });
        Ok(())
    }

    /// One call per processor counter: the first ones count the calls that start the others.
    pub(super) fn start(&self) {
        self.used.set(usage::for_this_thread());
        for counter in &self.hardware {
            counter.runs.set(counter.library.start(counter.id));
        }
    }

    /// Read first, while they run: a stopped counter may return its value at the last switch.
    pub(super) fn stop(&self) {
        let running = || self.hardware.iter().filter(|counter| counter.runs.get());
        for counter in running() {
            counter.counted.set(counter.library.read(counter.id));
        }
        for counter in running() {
            counter.library.stop(counter.id);
        }
        self.used.set(usage::for_this_thread().since(self.used.get()));
    }

    pub(super) fn read(&self) -> Vec<(&'static str, Result<Count, String>)> {
        let hardware = self.hardware.iter().map(|counter| (counter.name, counter.counted.get()));
        let scheduler = self.scheduler.iter().map(|&name| (name, scheduler_count(name, self.used.get())));
        let whole = |value: Option<u64>| {
            value
                .map(|value| Count { value, counted_time_percent: 100 })
                .ok_or("cannot start or read it".into())
        };
        hardware.chain(scheduler).map(|(name, value)| (name, whole(value))).collect()
    }
}

impl Drop for Hardware {
    fn drop(&mut self) {
        self.library.release(self.id);
    }
}

/// A scheduler counter from a thread's usage. Faults exclude those that read the disk.
fn scheduler_count(name: &str, used: Usage) -> Option<u64> {
    match name {
        "context_switches" => Some(used.voluntary_switches? + used.involuntary_switches?),
        "page_faults" => used.minor_faults,
        "task_clock_ns" => Some(used.user_ns? + used.system_ns?),
        _ => None,
    }
}

/// The names that libpmc has for events of many processors (`libpmc_pmu_util.c`).
fn event(name: &str) -> Option<&'static CStr> {
    Some(match name {
        "branch_misses" => c"branch-mispredicts",
        "cache_misses" => c"LLC-MISSES",
        "cache_references" => c"LLC-REFERENCE",
        "cycles" => c"unhalted-cycles",
        "instructions" => c"instructions",
        _ => return None,
    })
}

/// `pmc_id_t`
type Id = u32;

/// The used part of libpmc (`pmc.h`). The last argument of `pmc_allocate` is new in FreeBSD 12.
#[derive(Debug)]
struct Library {
    allocate: unsafe extern "C" fn(*const c_char, c_uint, u32, c_int, *mut Id, u64) -> c_int,
    release: unsafe extern "C" fn(Id) -> c_int,
    start: unsafe extern "C" fn(Id) -> c_int,
    stop: unsafe extern "C" fn(Id) -> c_int,
    read: unsafe extern "C" fn(Id, *mut u64) -> c_int,
}

/// `PMC_MODE_TC`: counts while the process runs, on any processor (`sys/pmc.h`).
const OF_PROCESS: c_uint = 3;
/// `PMC_CPU_ANY`.
const ANY_PROCESSOR: c_int = -1;

#[expect(unsafe_code, reason = "calls of libpmc")]
impl Library {
    fn allocate(&self, event: &CStr) -> Result<Id, String> {
        let mut id = 0;
        // SAFETY: the name ends with a zero, and the call writes one number.
        match unsafe { (self.allocate)(event.as_ptr(), OF_PROCESS, 0, ANY_PROCESSOR, &raw mut id, 0) } {
            0 => Ok(id),
            _ => {
                let error = io::Error::last_os_error();
                Err(format!("hwpmc has no event {}: {error}", event.to_string_lossy()))
            }
        }
    }

    /// A counter without a target is attached to this process. Returns whether it runs.
    fn start(&self, id: Id) -> bool {
        // SAFETY: takes a number.
        unsafe { (self.start)(id) == 0 }
    }

    fn stop(&self, id: Id) {
        // SAFETY: takes a number. It cannot fail for a running counter.
        let _ = unsafe { (self.stop)(id) };
    }

    fn read(&self, id: Id) -> Option<u64> {
        let mut value = 0;
        // SAFETY: the call writes one number.
        (unsafe { (self.read)(id, &raw mut value) } == 0).then_some(value)
    }

    fn release(&self, id: Id) {
        // SAFETY: takes a number, and this counter belongs to this process.
        let _ = unsafe { (self.release)(id) };
    }
}

/// Loaded and initialized once.
fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(load).as_ref().map_err(String::clone)
}

#[expect(unsafe_code, reason = "functions that are looked up by their names")]
fn load() -> Result<Library, String> {
    /// Finds the function with this name, which must have this type.
    unsafe fn find<F: Copy>(library: *mut c_void, name: &CStr) -> Result<F, String> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the library stays loaded; the name ends with a zero.
        let address: *mut c_void = unsafe { libc::dlsym(library, name.as_ptr()) };
        if address.is_null() {
            return Err(format!("libpmc has no {}", name.to_string_lossy()));
        }
        // SAFETY: an address is as long as a function's, and the type is the caller's promise.
        Ok(unsafe { transmute_copy::<*mut c_void, F>(&address) })
    }
    let handle = [c"libpmc.so.5", c"libpmc.so"].into_iter().find_map(|name| {
        // SAFETY: the name ends with a zero, and the library runs no code while it is loaded.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        (!handle.is_null()).then_some(handle)
    });
    let handle = handle.ok_or("no libpmc: expected the base system's")?;
    // SAFETY: these are the types of the functions of these names in pmc.h.
    let (initialise, library): (unsafe extern "C" fn() -> c_int, Library) = unsafe {
        let library = Library {
            allocate: find(handle, c"pmc_allocate")?,
            release: find(handle, c"pmc_release")?,
            start: find(handle, c"pmc_start")?,
            stop: find(handle, c"pmc_stop")?,
            read: find(handle, c"pmc_read")?,
        };
        (find(handle, c"pmc_init")?, library)
    };
    // SAFETY: takes no argument.
    if unsafe { initialise() } != 0 {
        let error = io::Error::last_os_error();
        return Err(match error.raw_os_error() {
            Some(libc::ENOENT) => "hwpmc is not loaded: kldload hwpmc".into(),
            _ => format!("cannot use hwpmc: {error}"),
        });
    }
    Ok(library)
}
