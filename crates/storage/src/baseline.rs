//! Adopts a database with the 63 migrations that the baseline replaced (ADR 0016). Its tables equal those of
//! the baseline; only sqlx's list of applied migrations differs.

use crate::schema;
use sqlx::migrate::Migrator;
use sqlx::{Connection, PgConnection};

/// The last replaced migration. All migrations of the baseline are later.
pub const LAST_REPLACED: i64 = 20_261_208_000_120;
const REPLACED_COUNT: usize = 63;
/// SHA-256 of their versions and checksums, in order.
const REPLACED_SHA256: &str = "f5a9e4fa9cead7ad295d2fe36b67b1f65f844616c8a26a5556f1e298c1499697";
/// The last migration of the baseline. After it, the tables equal those of the replaced migrations.
const LAST_OF_BASELINE: i64 = 20_261_209_001_100;

/// The replaced migrations that a database or a backup has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// None: it is new, or from the baseline.
    None,
    /// All of them.
    Complete,
    /// Only those up to a version.
    Incomplete {
        /// Its version.
        last: i64,
    },
    /// All versions, but with other checksums: the tables may differ from those of the baseline.
    Edited,
}

impl Replaced {
    /// Decides by versions only, because a backup contains no checksums.
    #[must_use]
    pub fn from_versions(versions: &[i64]) -> Self {
        let replaced = versions.iter().copied().filter(|version| *version <= LAST_REPLACED);
        match (replaced.clone().max(), replaced.count()) {
            (None, _) => Self::None,
            (Some(LAST_REPLACED), REPLACED_COUNT) => Self::Complete,
            (Some(last), _) => Self::Incomplete { last },
        }
    }

    /// Decides by versions and checksums.
    pub async fn find(connection: &mut PgConnection) -> sqlx::Result<Self> {
        let found = Self::from_versions(&schema::applied_migrations(connection).await?);
        if found != Self::Complete {
            return Ok(found);
        }
        let digest: String = sqlx::query_scalar(
            "select encode(sha256(string_agg(int8send(version) || checksum, ''::bytea order by version)), 'hex')
             from _sqlx_migrations where version <= $1",
        )
        .bind(LAST_REPLACED)
        .fetch_one(connection)
        .await?;
        Ok(if digest == REPLACED_SHA256 { found } else { Self::Edited })
    }
}

/// The versions of the baseline's migrations.
pub fn versions(migrator: &Migrator) -> impl Iterator<Item = i64> {
    migrator.iter().map(|migration| migration.version).filter(|version| *version <= LAST_OF_BASELINE)
}

/// Replaces the list of applied migrations by the baseline's, in one transaction.
pub async fn take_over(connection: &mut PgConnection, migrator: &Migrator) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    sqlx::query("delete from _sqlx_migrations where version <= $1")
        .bind(LAST_REPLACED)
        .execute(&mut *transaction)
        .await?;
    for migration in migrator.iter().filter(|migration| migration.version <= LAST_OF_BASELINE) {
        sqlx::query(
            "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
             values ($1, $2, true, $3, 0)",
        )
        .bind(migration.version)
        .bind(&*migration.description)
        .bind(&*migration.checksum)
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_only_all_replaced_migrations() {
        let baseline: Vec<i64> = versions(&crate::MIGRATOR).collect();
        assert_eq!(baseline.last(), Some(&LAST_OF_BASELINE));
        assert_eq!(Replaced::from_versions(&[]), Replaced::None);
        assert_eq!(Replaced::from_versions(&baseline), Replaced::None);
        let whole: Vec<i64> = (1..63).chain([LAST_REPLACED]).collect();
        assert_eq!(Replaced::from_versions(&whole), Replaced::Complete);
        assert_eq!(Replaced::from_versions(&whole[..62]), Replaced::Incomplete { last: 62 });
        assert_eq!(Replaced::from_versions(&whole[1..]), Replaced::Incomplete { last: LAST_REPLACED });
    }
}
