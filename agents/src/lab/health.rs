//! The health of this machine: whether it can measure, and whether its canaries drift.

use crate::spool;
use base64::{Engine, prelude::BASE64_STANDARD};
use roundtrip_bench::{canary, environment};
use roundtrip_stats::nearest_rank;
use roundtrip_wire::lab::Health;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILE: &str = "canaries.json";
/// The interval of canary runs on an idle agent.
const INTERVAL: Duration = Duration::from_secs(4 * 3_600);
/// Stored readings per canary: a week.
const KEPT: usize = 42;
/// Minimum number of readings to detect drift.
const READINGS_MIN: usize = 8;
/// A reading is a drift if it is further from the median than this many median absolute deviations,
const DEVIATIONS: f64 = 3.0;
/// and further than this share of the median: small changes of a quiet machine do not matter.
const SHARE: f64 = 0.1;
/// With less disk space, the agent does not measure, because it could not store reports.
pub(super) const FREE_BYTES_MIN: u64 = 512 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Watch {
    path: PathBuf,
    spool: PathBuf,
    /// By canary, newest last.
    readings: BTreeMap<String, Vec<u64>>,
    taken: Option<Instant>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// The environment of the readings. If the kernel or CPU changes, they are discarded.
    environment: String,
    p50_ns: BTreeMap<String, Vec<u64>>,
}

impl Watch {
    pub(crate) fn read(folder: &Path, spool: &Path) -> Self {
        let path = folder.join(FILE);
        let kept: Kept = spool::read_json(&path).unwrap_or_default();
        let readings = if kept.environment == fingerprint() { kept.p50_ns } else { BTreeMap::new() };
        Self { path, spool: spool.to_owned(), readings, taken: None }
    }

    /// The current health. Runs the canaries if the last readings are old, which takes half a second.
    pub(crate) fn health(&mut self) -> Health {
        if self.taken.is_none_or(|at| at.elapsed() > INTERVAL) {
            self.take();
        }
        let suspect = self.readings.iter().filter_map(|(canary, readings)| drift(canary, readings)).collect();
        Health { failing: self.failing(), suspect }
    }

    fn take(&mut self) {
        for reading in canary::measure() {
            let Some(p50_ns) = reading.p50_ns else { continue };
            let of = self.readings.entry(reading.slug.to_string()).or_default();
            of.push(p50_ns);
            of.drain(..of.len().saturating_sub(KEPT));
        }
        self.taken = Some(Instant::now());
        let kept = Kept { environment: fingerprint(), p50_ns: self.readings.clone() };
        // If this fails, the readings are taken again.
        let _ = spool::write_json(&self.path, &kept);
    }

    fn failing(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let probe = self.spool.join("probe");
        if let Err(failure) = spool::write_private(&probe, b"").and_then(|()| spool::remove(&probe)) {
            reasons.push(format!("cannot write to the spool: {failure}"));
        }
        match fs4::available_space(&self.spool) {
            Ok(free) if free < FREE_BYTES_MIN => reasons.push(format!(
                "{} MiB free for reports: expected at least {} MiB",
                free >> 20,
                FREE_BYTES_MIN >> 20
            )),
            // If the free space is unknown, writing a report will show it.
            _ => {}
        }
        reasons
    }
}

fn fingerprint() -> String {
    BASE64_STANDARD.encode(environment::environment().digest())
}

/// A warning, if the newest reading of a canary is far from the earlier ones.
fn drift(canary: &str, readings: &[u64]) -> Option<String> {
    let (&newest, before) = readings.split_last()?;
    if before.len() < READINGS_MIN {
        return None;
    }
    let median = median(before.to_vec())?;
    let deviation = self::median(before.iter().map(|reading| reading.abs_diff(median)).collect())?;
    let (off, median_ns, allowed) =
        (newest.abs_diff(median) as f64, median as f64, deviation as f64 * DEVIATIONS);
    (off > allowed.max(median_ns * SHARE))
        .then(|| format!("{canary} takes {newest} ns; its median was {median} ns, deviation {deviation} ns"))
}

fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    nearest_rank(&values, 500_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn detects_drift_beyond_noise() {
        let quiet = [100, 101, 99, 100, 102, 100, 101, 99];
        let of = |newest: u64| drift("wake", &[&quiet[..], &[newest]].concat());
        assert_eq!(of(109), None, "within a tenth");
        let reading = of(150).unwrap();
        assert!(reading.contains("takes 150 ns; its median was 100 ns"), "{reading}");
        assert!(of(60).is_some(), "faster is a drift as well");
        let noisy = [100, 180, 60, 140, 90, 200, 70, 130];
        assert_eq!(drift("wake", &[&noisy[..], &[190]].concat()), None);
        assert_eq!(drift("wake", &[100, 100, 900]), None, "too few to tell");
    }

    #[test]
    fn reports_unwritable_spools_and_keeps_readings() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool");
        let mut watch = Watch::read(folder.path(), &spool);
        assert_eq!(watch.health().failing, Vec::<String>::new());
        let again = Watch::read(folder.path(), &spool);
        assert_eq!(again.readings, watch.readings);
        fs::remove_dir_all(&spool).unwrap();
        fs::write(&spool, "a file where the folder was").unwrap();
        let failing = watch.health().failing;
        assert!(failing.len() == 1 && failing[0].starts_with("cannot write to the spool"), "{failing:?}");
    }
}
