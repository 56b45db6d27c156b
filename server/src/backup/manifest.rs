//! The metadata of a backup: format and version at its beginning, row counts and checksums at its end.

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use roundtrip_storage::backup::Table;
use roundtrip_storage::baseline::{LAST_REPLACED, Replaced};
use serde::{Deserialize, Serialize};

/// The version of the format.
const FORMAT: u32 = 1;

/// The manifest, the first member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    /// The version of the server that wrote it.
    pub(crate) server_version: String,
    pub(crate) created_at: DateTime<Utc>,
    /// The applied migrations, by version.
    pub(crate) migrations: Vec<i64>,
    /// The tables. Each comes after those that it references.
    pub(crate) tables: Vec<TableRows>,
}

/// A table and its columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableRows {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
}

/// The checksums, the last member: one entry per table, in the order of the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksums {
    pub(crate) tables: Vec<Checksum>,
}

/// The size and checksum of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksum {
    pub(crate) name: String,
    pub(crate) row_count: u64,
    /// The size of all parts together.
    pub(crate) byte_count: u64,
    /// The hash of all parts together, in hexadecimal.
    pub(crate) sha256: String,
}

impl Manifest {
    /// Describes the current tables.
    pub(crate) fn new(tables: &[Table], migrations: Vec<i64>) -> Self {
        Self {
            format: FORMAT,
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: Utc::now(),
            migrations,
            tables: tables
                .iter()
                .map(|table| TableRows { name: table.name.clone(), columns: table.columns.clone() })
                .collect(),
        }
    }

    /// Replaces migrations from before the baseline by the baseline, which creates the same tables.
    /// Fails if the backup has only some of them.
    pub(crate) fn take_over(&mut self, baseline: impl IntoIterator<Item = i64>) -> Result<()> {
        match Replaced::from_versions(&self.migrations) {
            Replaced::Complete => self.migrations = Vec::from_iter(baseline),
            Replaced::Incomplete { last } => bail!(
                "the backup is too old (its last migration is {last}, expected {LAST_REPLACED}). Restore it with the previous \
                 version of the server, and back up again"
            ),
            Replaced::None | Replaced::Edited => {}
        }
        Ok(())
    }

    /// Checks that this program, which knows these migrations, can read the backup.
    pub(crate) fn check(&self, known: &[i64]) -> Result<()> {
        let advice = format!("restore it with version {} or newer", self.server_version);
        if self.format > FORMAT {
            bail!("unsupported backup format {}, expected {FORMAT}: {advice}", self.format);
        }
        if let Some(unknown) = self.migrations.iter().find(|version| !known.contains(version)) {
            bail!("the backup is from a newer server (migration {unknown}): {advice}");
        }
        Ok(())
    }
}

/// Sorts tables so that each comes after those that it references. Fails if tables reference each other in a cycle.
pub(crate) fn sorted(mut tables: Vec<Table>) -> Result<Vec<Table>> {
    let mut sorted: Vec<Table> = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let is_ready = |table: &Table| {
            let is_before = |name: &String| *name == table.name || sorted.iter().any(|one| one.name == *name);
            table.references.iter().all(is_before)
        };
        let Some(next) = tables.iter().position(is_ready) else {
            let names: Vec<_> = tables.iter().map(|table| table.name.as_str()).collect();
            bail!("the tables {} have circular references", names.join(", "));
        };
        sorted.push(tables.remove(next));
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, references: &[&str]) -> Table {
        let references = references.iter().map(ToString::to_string).collect();
        Table { name: name.into(), columns: Vec::new(), references }
    }

    #[test]
    fn sorts_tables_by_references() {
        let tables = vec![table("a", &["c"]), table("b", &["b", "a"]), table("c", &[])];
        let names: Vec<_> = sorted(tables).unwrap().into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["c", "a", "b"]);
        let circle = sorted(vec![table("a", &["b"]), table("b", &["a"])]).unwrap_err();
        assert!(circle.to_string().contains("a, b"), "{circle}");
    }

    #[test]
    fn accepts_backups_from_before_the_baseline() {
        let whole: Vec<i64> = (1..63).chain([LAST_REPLACED]).collect();
        let mut manifest = Manifest::new(&[], whole.clone());
        let baseline = [LAST_REPLACED + 1, LAST_REPLACED + 2];
        manifest.take_over(baseline).unwrap();
        assert_eq!(manifest.migrations, baseline);
        manifest.take_over([]).unwrap();
        assert_eq!(manifest.migrations, baseline, "what is later is left alone");
        let mut old = Manifest::new(&[], whole[..9].to_vec());
        let refused = old.take_over(baseline).unwrap_err().to_string();
        assert!(refused.contains("its last migration is 9"), "{refused}");
    }

    #[test]
    fn rejects_backups_of_newer_servers() {
        let manifest = Manifest::new(&[], vec![1, 2]);
        manifest.check(&[1, 2, 3]).unwrap();
        let unknown = manifest.check(&[1]).unwrap_err();
        assert!(unknown.to_string().contains("migration 2"), "{unknown}");
        let newer = Manifest { format: FORMAT + 1, ..manifest };
        assert!(newer.check(&[1, 2]).unwrap_err().to_string().contains("format 2"));
    }
}
