//! [`PointFile`]: writes rows to a Parquet file, in row groups of a fixed size.

use super::METADATA_PREFIX;
use super::columns::{COLUMNS, Column, Value};
use super::point::Row;
use crate::failure::Failure;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Rows are held in memory until there are this many: 30 MB.
const GROUP_ROWS: usize = 1 << 16;

/// A file that grows by row groups.
pub(super) struct PointFile<'a> {
    writer: SerializedFileWriter<&'a mut File>,
    rows: Vec<Row>,
    path: &'a Path,
}

impl<'a> PointFile<'a> {
    /// Begins a file with these metadata, and the version of this program. `path` is for errors.
    pub(super) fn new(file: &'a mut File, path: &'a Path, metadata: &[(&str, &str)]) -> crate::Result<Self> {
        let version = ("version", env!("CARGO_PKG_VERSION"));
        let entry = |(key, value): &(&str, &str)| {
            KeyValue::new(format!("{METADATA_PREFIX}{key}"), (*value).to_owned())
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(parquet::basic::ZstdLevel::default()))
            .set_key_value_metadata(Some(metadata.iter().chain([&version]).map(entry).collect()))
            .build();
        let writer =
            schema().and_then(|schema| SerializedFileWriter::new(file, schema, Arc::new(properties)));
        Ok(Self { writer: writer.map_err(|error| cannot_write(path, error))?, rows: Vec::new(), path })
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: Row) -> crate::Result<()> {
        self.rows.push(row);
        if self.rows.len() < GROUP_ROWS { Ok(()) } else { self.write_group() }
    }

    /// Writes the remaining rows and the end of the file.
    pub(super) fn finish(mut self) -> crate::Result<()> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        let path = self.path;
        self.writer.close().map(drop).map_err(|error| cannot_write(path, error))
    }

    fn write_group(&mut self) -> crate::Result<()> {
        write_rows(&mut self.writer, &self.rows).map_err(|error| cannot_write(self.path, error))?;
        self.rows.clear();
        Ok(())
    }
}

fn cannot_write(path: &Path, error: ParquetError) -> Failure {
    Failure::Disk { path: path.to_owned(), source: io::Error::other(error) }
}

/// All columns may be null.
fn schema() -> Result<TypePtr> {
    let columns = COLUMNS.iter().map(|Column { name, value }| {
        let (physical, logical) = match value {
            Value::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Value::Whole(_) => (PhysicalType::INT64, None),
            Value::Real(_) => (PhysicalType::DOUBLE, None),
            Value::Flag(_) => (PhysicalType::BOOLEAN, None),
            Value::Time(_) => (PhysicalType::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS))),
        };
        let column = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        column.with_logical_type(logical).build().map(Arc::new)
    });
    let fields = columns.collect::<Result<_>>()?;
    Type::group_type_builder("point").with_fields(fields).build().map(Arc::new)
}

fn write_rows(writer: &mut SerializedFileWriter<&mut File>, rows: &[Row]) -> Result<()> {
    let mut group = writer.next_row_group()?;
    for Column { value, .. } in COLUMNS {
        match value {
            Value::Text(of) => {
                let value = |row: &Row| of(row).map(|text| ByteArray::from(text.into_bytes()));
                write_column::<ByteArrayType>(&mut group, rows, value)
            }
            Value::Whole(of) => write_column::<Int64Type>(&mut group, rows, of),
            Value::Real(of) => write_column::<DoubleType>(&mut group, rows, of),
            Value::Flag(of) => write_column::<BoolType>(&mut group, rows, of),
            Value::Time(of) => {
                write_column::<Int64Type>(&mut group, rows, |row| Some(of(row)?.timestamp_micros()))
            }
        }?;
    }
    group.close().map(drop)
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut File>,
    rows: &[Row],
    value: impl Fn(&Row) -> Option<T::T>,
) -> Result<()> {
    let missing = || ParquetError::General("the schema has fewer columns than a row".into());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    let mut values = Vec::with_capacity(rows.len());
    let is_present = |row| {
        let value = value(row);
        let level = i16::from(value.is_some());
        values.extend(value);
        level
    };
    let levels: Vec<i16> = rows.iter().map(is_present).collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}
