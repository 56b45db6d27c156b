//! [`StorageError`]: database errors, classified for callers.

/// Why a database operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The database does not answer now. A retry can succeed.
    #[error("the database is busy or does not answer")]
    Unavailable(#[source] sqlx::Error),
    /// The database's disk is full.
    #[error("the database's disk is full")]
    Full(#[source] sqlx::Error),
    /// A bug in this program.
    #[error(transparent)]
    Failed(sqlx::Error),
}

impl From<sqlx::Error> for StorageError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default().into_owned();
        match (&error, code.as_str()) {
            (sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_), _) => {
                Self::Unavailable(error)
            }
            (_, "53100") => Self::Full(error),
            // Connection lost, insufficient resources, shutting down or starting, read-only, lock or
            // statement timeout, serialization failure or deadlock: all temporary.
            (_, "25006" | "40001" | "40P01" | "55P03" | "57014") => Self::Unavailable(error),
            (_, code) if ["08", "53", "57P"].iter().any(|class| code.starts_with(class)) => {
                Self::Unavailable(error)
            }
            _ => Self::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_without_a_free_connection_is_temporary() {
        assert!(matches!(StorageError::from(sqlx::Error::PoolTimedOut), StorageError::Unavailable(_)));
        assert!(matches!(StorageError::from(sqlx::Error::RowNotFound), StorageError::Failed(_)));
    }
}
