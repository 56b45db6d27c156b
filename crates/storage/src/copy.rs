//! Rows in the binary format of `copy`: the fastest way into a table.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// What a stream begins with: its signature, no flags, no further header.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// What it ends with, in place of a number of columns.
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();
/// The length of a value that is null.
const NULL: [u8; 4] = (-1_i32).to_be_bytes();
/// The type of the elements of a `bigint[]`.
const BIGINT_OID: i32 = 20;
/// The first moment of PostgreSQL's calendar, 2000-01-01, in microseconds of ours.
const EPOCH_US: i64 = 946_684_800_000_000;
/// Data goes to the database in parts of this size.
const PART_BYTES: usize = 1 << 20;

/// Rows of one table.
#[derive(Debug)]
pub struct Rows {
    bytes: Vec<u8>,
    count: u64,
}

/// One row that is being written, column by column in the order of the statement.
#[derive(Debug)]
pub struct Row<'a> {
    bytes: &'a mut Vec<u8>,
    column_count: i16,
}

impl Default for Rows {
    fn default() -> Self {
        Self { bytes: HEADER.to_vec(), count: 0 }
    }
}

impl Rows {
    /// Adds a row.
    pub fn push(&mut self, write: impl FnOnce(&mut Row<'_>)) {
        let begin = self.bytes.len();
        self.bytes.extend([0; 2]);
        let mut row = Row { bytes: &mut self.bytes, column_count: 0 };
        write(&mut row);
        let column_count = row.column_count.to_be_bytes();
        self.bytes[begin..begin + 2].copy_from_slice(&column_count);
        self.count += 1;
    }

    /// How many rows there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes them by a `copy ... from stdin (format binary)`.
    ///
    /// # Errors
    /// The database does not answer, or refuses a value.
    pub async fn store(mut self, connection: &mut PgConnection, statement: &str) -> sqlx::Result<()> {
        self.bytes.extend(TRAILER);
        let mut copy = connection.copy_in_raw(statement).await?;
        for part in self.bytes.chunks(PART_BYTES) {
            copy.send(part).await?;
        }
        copy.finish().await?;
        Ok(())
    }
}

impl Row<'_> {
    /// A `bigint`.
    pub fn bigint(&mut self, value: i64) {
        self.value(&value.to_be_bytes());
    }

    /// A `bigint` or null.
    pub fn bigint_or_null(&mut self, value: Option<i64>) {
        match value {
            Some(value) => self.bigint(value),
            None => self.null(),
        }
    }

    /// An `integer`.
    pub fn integer(&mut self, value: i32) {
        self.value(&value.to_be_bytes());
    }

    /// A `boolean`.
    pub fn boolean(&mut self, value: bool) {
        self.value(&[u8::from(value)]);
    }

    /// A `text`.
    pub fn text(&mut self, value: &str) {
        self.value(value.as_bytes());
    }

    /// A `bytea`.
    pub fn bytea(&mut self, value: &[u8]) {
        self.value(value);
    }

    /// A `uuid`.
    pub fn uuid(&mut self, value: Uuid) {
        self.value(value.as_bytes());
    }

    /// A `timestamptz`.
    pub fn timestamptz(&mut self, value: DateTime<Utc>) {
        self.bigint(value.timestamp_micros() - EPOCH_US);
    }

    /// A `jsonb`.
    pub fn jsonb(&mut self, json: &str) {
        self.length(json.len() + 1);
        // The version of the format.
        self.bytes.push(1);
        self.bytes.extend(json.as_bytes());
    }

    /// A `bigint[]`.
    pub fn bigints(&mut self, values: &[i64]) {
        const HEADER_BYTES: usize = 20;
        const ELEMENT_BYTES: usize = 12;
        self.length(HEADER_BYTES + values.len() * ELEMENT_BYTES);
        // One dimension, no nulls, the type, and how many, counted from 1.
        for number in [1, 0, BIGINT_OID, narrow(values.len()), 1] {
            self.bytes.extend(number.to_be_bytes());
        }
        for value in values {
            self.bytes.extend(8_i32.to_be_bytes());
            self.bytes.extend(value.to_be_bytes());
        }
    }

    /// Null.
    pub fn null(&mut self) {
        self.column_count += 1;
        self.bytes.extend(NULL);
    }

    fn value(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.bytes.extend(bytes);
    }

    fn length(&mut self, byte_count: usize) {
        self.column_count += 1;
        self.bytes.extend(narrow(byte_count).to_be_bytes());
    }
}

/// Lengths of values. The database refuses those that do not fit long before they reach the limit.
fn narrow(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
