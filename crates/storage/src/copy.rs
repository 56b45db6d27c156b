//! Rows in the binary format of `copy`, the fastest way to insert.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::PgArgumentBuffer;
use sqlx::{Encode, Error, PgConnection, Postgres};

/// The header: the signature, no flags and no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The trailer, instead of a number of columns.
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();
/// The length that means null.
const NULL: i32 = -1;
/// The number of bytes that are sent to the database at a time.
const PART_BYTES: usize = 1 << 20;

/// Rows of one table.
#[derive(Debug, Default)]
pub struct Rows {
    bytes: PgArgumentBuffer,
    count: u64,
    /// Why a value could not be written.
    failure: Option<BoxDynError>,
}

impl Rows {
    /// Adds a row. The values must have the exact types of the columns, in the order of the statement.
    pub fn push(&mut self, columns: &[&dyn Encode<'_, Postgres>]) {
        if self.count == 0 {
            self.bytes.extend(HEADER);
        }
        self.count += 1;
        if let Err(failure) = self.write(columns) {
            self.failure.get_or_insert(failure);
        }
    }

    fn write(&mut self, columns: &[&dyn Encode<'_, Postgres>]) -> Result<(), BoxDynError> {
        self.bytes.extend(i16::try_from(columns.len())?.to_be_bytes());
        for &column in columns {
            let begin = self.bytes.len();
            self.bytes.extend(NULL.to_be_bytes());
            if let IsNull::No = column.encode_by_ref(&mut self.bytes)? {
                let value = begin + size_of_val(&NULL);
                let length = i32::try_from(self.bytes.len() - value)?;
                self.bytes[begin..value].copy_from_slice(&length.to_be_bytes());
            }
        }
        Ok(())
    }

    /// The number of rows.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes the rows with a `copy ... from stdin (format binary)`, or does nothing without rows. It must run to its end. If a
    /// client's disconnect dropped it, sqlx would assign responses to the wrong statements.
    ///
    /// # Errors
    /// A value is longer than 2 GiB.
    pub async fn store(mut self, connection: &mut PgConnection, statement: &str) -> sqlx::Result<()> {
        if let Some(failure) = self.failure {
            return Err(Error::Encode(failure));
        }
        if self.count == 0 {
            return Ok(());
        }
        self.bytes.extend(TRAILER);
        let mut copy = connection.copy_in_raw(statement).await?;
        for part in self.bytes.chunks(PART_BYTES) {
            copy.send(part).await?;
        }
        copy.finish().await?;
        Ok(())
    }
}
