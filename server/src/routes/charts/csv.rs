//! Answers as CSV (RFC 4180), for spreadsheets and scripts: full rows, with the unit in each column's name.

use crate::error::ApiError;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// A column: its name, and the cell of a row.
pub(super) type Column<R> = (&'static str, fn(&R) -> String);

/// Rows that become a file.
pub(super) struct Table<R: 'static> {
    columns: &'static [Column<R>],
    writer: csv::Writer<Vec<u8>>,
}

impl<R> Table<R> {
    /// With its header.
    pub(super) fn new(columns: &'static [Column<R>]) -> Result<Self, ApiError> {
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        writer.write_record(columns.iter().map(|(name, _)| name)).map_err(ApiError::internal)?;
        Ok(Self { columns, writer })
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: &R) -> Result<(), ApiError> {
        let cells = self.columns.iter().map(|(_, cell)| cell(row));
        self.writer.write_record(cells).map_err(ApiError::internal)
    }

    /// The answer; `name` is that of the file without `.csv`.
    pub(super) fn finish(self, name: &str) -> Result<Response, ApiError> {
        let text = self.writer.into_inner().map_err(|error| ApiError::internal(error.into_error()))?;
        let headers = [
            (header::CONTENT_TYPE, "text/csv; charset=utf-8; header=present".to_owned()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")),
        ];
        Ok((headers, text).into_response())
    }
}

/// What caches must know of an answer whose form the header `accept` decides.
pub(super) fn negotiated(mut response: Response) -> Response {
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// A value that may be absent: an empty cell.
pub(super) fn cell(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Text that anyone may have written. A spreadsheet takes what begins with one of these for a formula.
pub(super) fn text(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn a_table_has_its_header_even_without_rows_and_quotes_what_needs_it() {
        const COLUMNS: &[Column<Option<&str>>] =
            &[("a_ns", |row| cell(*row)), ("b", |row| text(row.unwrap_or("=1,\"2\"")))];
        let answered = |table: Table<Option<&'static str>>| async {
            let body = table.finish("name").unwrap().into_body().collect().await.unwrap().to_bytes();
            String::from_utf8(body.to_vec()).unwrap()
        };
        assert_eq!(answered(Table::new(COLUMNS).unwrap()).await, "a_ns,b\r\n");
        let mut table = Table::new(COLUMNS).unwrap();
        table.push(&None).unwrap();
        table.push(&Some("x")).unwrap();
        assert_eq!(answered(table).await, "a_ns,b\r\n,\"'=1,\"\"2\"\"\"\r\nx,x\r\n");
    }
}
