//! CSV responses (RFC 4180) for spreadsheets and scripts, with the unit in each column's name.

use crate::error::ApiError;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// A column: its name, and the cell of a row.
pub(super) type Column<R> = (&'static str, fn(&R) -> String);

/// A CSV file being written.
pub(super) struct Table<R: 'static> {
    columns: &'static [Column<R>],
    writer: csv::Writer<Vec<u8>>,
}

impl<R> Table<R> {
    /// Creates a table with its header.
    pub(super) fn new(columns: &'static [Column<R>]) -> Result<Self, ApiError> {
        let mut table = Self::rows(columns);
        table.writer.write_record(columns.iter().map(|(name, _)| name)).map_err(ApiError::internal)?;
        Ok(table)
    }

    /// Creates a part of a table, without a header.
    pub(super) fn rows(columns: &'static [Column<R>]) -> Self {
        let writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        Self { columns, writer }
    }

    pub(super) fn push(&mut self, row: &R) -> Result<(), ApiError> {
        let cells = self.columns.iter().map(|(_, cell)| cell(row));
        self.writer.write_record(cells).map_err(ApiError::internal)
    }

    /// The text.
    pub(super) fn text(self) -> Result<Vec<u8>, ApiError> {
        self.writer.into_inner().map_err(|error| ApiError::internal(error.into_error()))
    }

    /// The response; `name` is the file name without `.csv`.
    pub(super) fn finish(self, name: &str) -> Result<Response, ApiError> {
        Ok(file(name, self.text()?))
    }
}

/// The response with a text; `name` is the file name without `.csv`.
pub(super) fn file(name: &str, text: impl Into<Body>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8; header=present".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")),
    ];
    (headers, text.into()).into_response()
}

/// The `vary` header, because the format depends on `accept`.
pub(super) fn negotiated(mut response: Response) -> Response {
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// The cell of an optional value, empty if absent.
pub(super) fn cell(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The cell of an untrusted text. A spreadsheet would read a text with one of these first characters as a formula.
pub(super) fn text(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn writes_a_header_and_quotes_cells() {
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
