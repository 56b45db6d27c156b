//! The bare loops: a separate program, compiled from `benches/reference/`. A program that uses a library can have a loop with
//! the same arguments.

use roundtrip_bench::definition::{Placement, PlannedCase};
use roundtrip_bench::sys::affinity;
use roundtrip_stats::nearest_rank;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub(crate) struct Bare {
    program: PathBuf,
    /// Of a program that was compiled for this run.
    _folder: Option<TempDir>,
}

impl Bare {
    pub(crate) fn compile() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let bare = Self { program: folder.path().join("roundtrip"), _folder: Some(folder) };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("reference");
        let entries = fs::read_dir(&source).map_err(|error| format!("{}: {error}", source.display()))?;
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension() == Some(OsStr::new("c")))
            .collect();
        files.sort();
        match Command::new("cc").args(["-O2", "-o"]).arg(&bare.program).args(files).status() {
            Ok(status) if status.success() => Ok(bare),
            Ok(status) => Err(format!("the bare loops do not compile: cc ended with {status}")),
            Err(error) => Err(format!("a C compiler called `cc` is needed for the bare loops: {error}")),
        }
    }

    /// A program with a loop, if it was built.
    pub(crate) fn at(program: PathBuf) -> Option<Self> {
        program.is_file().then_some(Self { program, _folder: None })
    }

    /// Runs a case in the program over this mechanism; returns the p50.
    pub(crate) fn p50_ns(&self, mechanism: &str, case: &PlannedCase) -> Result<u64, String> {
        let work = &case.work;
        let (initiator, responder) = processors(case)?;
        let cpus = [initiator, responder].map(u64::from);
        let numbers = [cpus[0], cpus[1], work.message_bytes as u64, work.warmup, work.operations, work.batch];
        let output = Command::new(&self.program)
            .arg(mechanism)
            .args(numbers.map(|number| number.to_string()))
            .output()
            .map_err(|error| format!("the bare loop does not start: {error}"))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(format!("the bare loop of {case} ended with {}: {}", output.status, stderr.trim()));
        }
        let lines = String::from_utf8_lossy(&output.stdout);
        let mut times_ns: Vec<u64> = lines.lines().filter_map(|line| line.parse().ok()).collect();
        times_ns.sort_unstable();
        nearest_rank(&times_ns, 500_000).ok_or_else(|| format!("the bare loop of {case} printed no times"))
    }
}

/// The processors on which the harness puts the two ends.
fn processors(case: &PlannedCase) -> Result<(u32, u32), String> {
    match case.placement {
        Placement::CrossCpu => {
            let pair = affinity::pair().map_err(|error| error.to_string())?;
            Ok((pair.first, pair.second))
        }
        _ => {
            let allowed = affinity::allowed().map_err(|error| error.to_string())?;
            let cpu = *allowed.last().ok_or("no processor")?;
            Ok((cpu, cpu))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{case, transports};
    use roundtrip_bench::harness::support;
    use roundtrip_bench::scenario::Work;

    #[test]
    fn every_kernel_transport_has_a_bare_loop() {
        if affinity::allowed().is_err() {
            return println!("not tested: this system does not pin processes");
        }
        let bare = Bare::compile().unwrap();
        for transport in transports(None).unwrap() {
            let mut case = case(transport, 5_000).unwrap();
            case.work = Work { warmup: 1, operations: 3, ..case.work };
            match support(&case) {
                Ok(()) => assert!(bare.p50_ns(transport.info().slug.as_str(), &case).unwrap() > 0),
                Err(reason) => println!("not tested: {case}: {reason}"),
            }
        }
    }

    #[test]
    fn passes_on_errors_of_a_bare_loop() {
        let bare = Bare::compile().unwrap();
        let mut case = case(transports(Some("udp")).unwrap()[0], 1 << 20).unwrap();
        case.work.operations = 1;
        let error = bare.p50_ns("udp", &case).unwrap_err();
        assert!(error.contains("udp") && error.contains("send"), "{error}");
    }
}
