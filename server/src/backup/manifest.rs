//! What a backup says of itself: at its beginning what it is, so that whoever reads it knows whether it can; at its end how
//! much there was, so that whoever read it knows that it was all.

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use roundtrip_storage::backup::Table;
use roundtrip_storage::baseline::{LAST_REPLACED, Replaced};
use serde::{Deserialize, Serialize};

/// The version of the format.
const FORMAT: u32 = 1;

/// The first member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the format.
    pub(crate) format: u32,
    /// The version of the server that wrote it.
    pub(crate) server_version: String,
    pub(crate) created_at: DateTime<Utc>,
    /// The migrations that the tables had, by version.
    pub(crate) migrations: Vec<i64>,
    /// In an order in which each comes after those that it refers to.
    pub(crate) tables: Vec<TableRows>,
}

/// A table, and which of its columns its rows hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableRows {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
}

/// The last member: one entry a table, in the order of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksums {
    pub(crate) tables: Vec<Checksum>,
}

/// How much there is of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksum {
    pub(crate) name: String,
    pub(crate) row_count: u64,
    /// Of its parts, put together.
    pub(crate) byte_count: u64,
    /// Of the same, in hexadecimal.
    pub(crate) sha256: String,
}

impl Manifest {
    /// Of these tables as they are now.
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

    /// States the baseline in place of the migrations that it replaced, whose tables are the same.
    ///
    /// # Errors
    /// The backup has only some of those.
    pub(crate) fn take_over(&mut self, baseline: impl IntoIterator<Item = i64>) -> Result<()> {
        match Replaced::from_versions(&self.migrations) {
            Replaced::Complete => self.migrations = Vec::from_iter(baseline),
            Replaced::Incomplete { last } => bail!(
                "the backup is too old (its last migration is {last}, and this server takes over those up to \
                 {LAST_REPLACED}): restore it with the version before this one, and back that up"
            ),
            Replaced::None | Replaced::Edited => {}
        }
        Ok(())
    }

    /// Checks that this program can read what follows; it knows these migrations.
    ///
    /// # Errors
    /// A newer program wrote it.
    pub(crate) fn check(&self, known: &[i64]) -> Result<()> {
        let advice = format!("restore it with version {} or a newer one", self.server_version);
        if self.format > FORMAT {
            bail!("the backup is of format {}, this server reads format {FORMAT}: {advice}", self.format);
        }
        if let Some(unknown) = self.migrations.iter().find(|version| !known.contains(version)) {
            bail!(
                "the backup is of a newer server (its migration {unknown} is unknown to this one): {advice}"
            );
        }
        Ok(())
    }
}

/// The tables in an order in which each comes after those that it refers to.
///
/// # Errors
/// They refer to each other in a circle.
pub(crate) fn sorted(mut tables: Vec<Table>) -> Result<Vec<Table>> {
    let mut sorted: Vec<Table> = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let is_ready = |table: &Table| {
            let is_before = |name: &String| *name == table.name || sorted.iter().any(|one| one.name == *name);
            table.references.iter().all(is_before)
        };
        let Some(next) = tables.iter().position(is_ready) else {
            let names: Vec<_> = tables.iter().map(|table| table.name.as_str()).collect();
            bail!("the tables {} refer to each other in a circle", names.join(", "));
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
    fn tables_come_after_those_that_they_refer_to() {
        let tables = vec![table("a", &["c"]), table("b", &["b", "a"]), table("c", &[])];
        let names: Vec<_> = sorted(tables).unwrap().into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["c", "a", "b"]);
        let circle = sorted(vec![table("a", &["b"]), table("b", &["a"])]).unwrap_err();
        assert!(circle.to_string().contains("a, b"), "{circle}");
    }

    #[test]
    fn a_backup_of_the_replaced_migrations_is_one_of_the_baseline() {
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
    fn what_a_newer_server_wrote_is_refused_by_name() {
        let manifest = Manifest::new(&[], vec![1, 2]);
        manifest.check(&[1, 2, 3]).unwrap();
        let unknown = manifest.check(&[1]).unwrap_err();
        assert!(unknown.to_string().contains("migration 2"), "{unknown}");
        let newer = Manifest { format: FORMAT + 1, ..manifest };
        assert!(newer.check(&[1, 2]).unwrap_err().to_string().contains("format 2"));
    }
}
