//! Series with known changes, from the files of the reference data.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Path of a file of the reference data, which is next to the project and not part of it.
fn file(name: &str) -> PathBuf {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("ROUNDTRIP_REFERENCE")
        .map_or_else(|| workspace.join("../shared/reference"), PathBuf::from);
    folder.join("labelled").join(name)
}

pub(crate) type Named = (String, crate::noise::Labelled);

/// Reads the series of a file with columns `series`, `value` and `is_change_point`, in the order of its lines. If the
/// file cannot be read, prints the reason to standard error and returns `None`.
pub(crate) fn read(name: &str) -> Option<Vec<Named>> {
    let path = file(name);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}: benchmarks on it are skipped", path.display());
            return None;
        }
    };
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next()?.split(',').collect();
    let column = |name: &str| head.iter().position(|column| *column == name);
    let (series, value, label) = (column("series")?, column("value")?, column("is_change_point")?);
    let mut order = Vec::new();
    let mut found: BTreeMap<&str, crate::noise::Labelled> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let name = *cells.get(series)?;
        let labelled = found.entry(name).or_insert_with(|| {
            order.push(name);
            crate::noise::Labelled { values: Vec::new(), changes: Vec::new() }
        });
        if *cells.get(label)? == "1" {
            labelled.changes.push(labelled.values.len());
        }
        labelled.values.push(cells.get(value)?.parse().ok()?);
    }
    Some(order.into_iter().filter_map(|name| Some((name.to_owned(), found.remove(name)?))).collect())
}
