//! Names of functions, from the files that a process has mapped, its perf map and the kernel.

use blazesym::Pid;
use blazesym::symbolize::source::{Process, Source};
use blazesym::symbolize::{Input, Symbolizer};
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

/// The functions of the kernel by address, from `/proc/kallsyms`. Read once, because it takes long. Empty if addresses
/// are hidden from this user.
static KERNEL_FUNCTIONS: LazyLock<Vec<(u64, String)>> = LazyLock::new(|| {
    let text = fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let line = |line: &str| {
        let mut fields = line.split_whitespace();
        let address = u64::from_str_radix(fields.next()?, 16).ok()?;
        let is_code = matches!(fields.next()?, "t" | "T" | "w" | "W");
        (is_code && address > 0).then_some((address, fields.next()?.to_owned()))
    };
    let mut functions: Vec<_> = text.lines().filter_map(line).collect();
    functions.sort_unstable();
    functions
});

/// Markers in a call chain (`PERF_CONTEXT_*`): addresses of this part follow.
const MARKERS: u64 = -4095_i64 as u64;
const KERNEL: u64 = -128_i64 as u64;
const USER: u64 = -512_i64 as u64;

/// An address of a frame, and whether it is in the kernel.
type Address = (bool, u64);

/// The addresses of a chain, innermost first. Callers return to the instruction after a call, which may belong to the
/// next function, so the address before it is used.
pub(super) fn addresses(chain: &[u64]) -> Vec<Address> {
    let (mut in_kernel, mut is_innermost) = (false, true);
    let mut addresses = Vec::new();
    for &word in chain {
        if word >= MARKERS {
            (in_kernel, is_innermost) = (word == KERNEL, true);
            if word != KERNEL && word != USER {
                break;
            }
        } else {
            addresses.push((in_kernel, if is_innermost { word } else { word.saturating_sub(1) }));
            is_innermost = false;
        }
    }
    addresses
}

/// The addresses in the process itself.
pub(super) fn in_process(chain: &[u64]) -> impl Iterator<Item = u64> {
    addresses(chain).into_iter().filter(|(in_kernel, _)| !in_kernel).map(|(_, at)| at)
}

/// A part of a process's memory that has code.
struct Code {
    range: Range<u64>,
    /// The name of its file; `None` for code of a compiler in the process.
    file: Option<String>,
}

/// Names of the functions of one process.
#[derive(Default)]
pub(super) struct Names {
    known: HashMap<u64, String>,
    code: Vec<Code>,
}

impl Names {
    /// Looks up the functions at these addresses of a process.
    pub(super) fn of(symbolizer: &Symbolizer, pid: u32, wanted: &BTreeSet<u64>) -> Self {
        let code = code(pid);
        let mut process = Process::new(Pid::from(pid));
        // Only they find files that were replaced or belong to a container, but they need a privilege.
        process.map_files =
            code.first().is_some_and(|Code { range, .. }| File::open(map_file(pid, range)).is_ok());
        // A process writes its own perf map. One of another user may lead to any file that this user can read.
        process.perf_map = is_of_this_user(pid);
        let addresses: Vec<u64> = wanted.iter().copied().collect();
        // Without a symbol, the name of the file remains.
        let found =
            symbolizer.symbolize(&Source::from(process), Input::AbsAddr(&addresses)).unwrap_or_default();
        let named = addresses.into_iter().zip(found);
        let known = named.filter_map(|(at, found)| Some((at, found.into_sym()?.name.into_owned()))).collect();
        Self { known, code }
    }

    /// The name of a frame. `None` if no code is there: without frame pointers, the kernel follows other values.
    pub(super) fn name(&self, (in_kernel, at): Address) -> Option<String> {
        if in_kernel {
            let after = KERNEL_FUNCTIONS.partition_point(|(start, _)| *start <= at);
            let function = after.checked_sub(1).and_then(|index| KERNEL_FUNCTIONS.get(index));
            return Some(format!("{}_[k]", function.map_or("[kernel]", |(_, name)| name)));
        }
        if let Some(name) = self.known.get(&at) {
            return Some(name.clone());
        }
        let file = match self.code.iter().find(|code| code.range.contains(&at)) {
            Some(code) => code.file.as_deref(),
            // The process has ended.
            None if self.code.is_empty() => None,
            None => return None,
        };
        Some(format!("[{}]", file.unwrap_or("unknown")))
    }
}

pub(super) fn has_kernel_names() -> bool {
    !KERNEL_FUNCTIONS.is_empty()
}

fn is_of_this_user(pid: u32) -> bool {
    let owner = fs::metadata(format!("/proc/{pid}")).map(|folder| folder.uid());
    owner.is_ok_and(|owner| owner == rustix::process::geteuid().as_raw())
}

fn map_file(pid: u32, Range { start, end }: &Range<u64>) -> String {
    format!("/proc/{pid}/map_files/{start:x}-{end:x}")
}

/// The executable parts of `/proc/PID/maps` (proc(5)).
fn code(pid: u32) -> Vec<Code> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let line = |line: &str| {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let range = number(start)?..number(end)?;
        let is_code = fields.next()?.contains('x');
        let path = fields.nth(3).unwrap_or_default().trim();
        let file = path.strip_suffix(" (deleted)").unwrap_or(path).rsplit('/').next()?;
        // The brackets of `[vdso]` are added back.
        let file = file.trim_matches(['[', ']']);
        is_code.then(|| Code { range, file: (!file.is_empty()).then(|| file.to_owned()) })
    };
    maps.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_looked_up_before_the_return_address() {
        let chain = [KERNEL, 0x90, 0x80, USER, 0x20, 0x11];
        assert_eq!(addresses(&chain), [(true, 0x90), (true, 0x7f), (false, 0x20), (false, 0x10)]);
    }

    #[test]
    fn unknown_functions_have_the_name_of_their_file() {
        let code = vec![
            Code { range: 0x10..0x20, file: Some("libfoo.so".into()) },
            Code { range: 0x20..0x30, file: None },
        ];
        let names = Names { code, ..Names::default() };
        let name = |at| names.name((false, at));
        assert_eq!(name(0x1f).as_deref(), Some("[libfoo.so]"));
        assert_eq!(name(0x20).as_deref(), Some("[unknown]"));
        assert_eq!(name(0x30), None, "data, not code");
        assert_eq!(names.name((true, 0x30)).as_deref(), Some("[kernel]_[k]"), "before the first");
    }
}
