//! The rows of a published table.

use super::{Reference, ReferenceCell, ReferenceColumn};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{OneOfBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

impl Reference {
    /// Adds the rows of the table.
    ///
    /// # Errors
    /// The line and the column that are invalid.
    pub(super) fn read(self) -> Result<Self, String> {
        let rows = rows(self.columns, self.csv).map_err(|error| format!("{}: {error}", self.slug))?;
        Ok(Self { rows, ..self })
    }
}

fn rows(columns: &[ReferenceColumn], csv: &str) -> Result<Vec<Vec<Option<ReferenceCell>>>, String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().map_err(|error| error.to_string())?;
    if !head.iter().eq(columns.iter().map(|column| column.name)) {
        let names: Vec<_> = columns.iter().map(|column| column.name).collect();
        return Err(format!("the columns are {}: expected {}", head.as_slice(), names.join(", ")));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        // The error names the line that is too short or too long.
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let cells = record.iter().zip(columns).map(|(cell, column)| {
            column.cell(cell).map_err(|error| format!("line {line}, {}: {error}", column.name))
        });
        rows.push(cells.collect::<Result<_, _>>()?);
    }
    Ok(rows)
}

impl ReferenceColumn {
    fn cell(&self, text: &str) -> Result<Option<ReferenceCell>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        if !self.is_number {
            return Ok(Some(ReferenceCell::Text(text.to_owned())));
        }
        let number = text.parse().map_err(|_| format!("{text} is not a number"))?;
        Ok(Some(ReferenceCell::Number(number)))
    }
}

impl PartialSchema for ReferenceCell {
    fn schema() -> RefOr<Schema> {
        // In the API document, a number with its printed digits is simply a number.
        let description = Some("A cell of a published table: a number as it was printed, or a text");
        OneOfBuilder::new().description(description).item(f64::schema()).item(String::schema()).into()
    }
}

impl ToSchema for ReferenceCell {}

#[cfg(test)]
mod tests {
    use super::super::{PublishedUnit, number, text};
    use super::*;

    const COLUMNS: &[ReferenceColumn] = &[text("name"), number("time_us", Some(PublishedUnit::Us))];

    fn rows(csv: &'static str) -> Result<String, String> {
        let rows = super::rows(COLUMNS, csv)?;
        Ok(serde_json::to_string(&rows).unwrap())
    }

    #[test]
    fn cells_keep_printed_numbers_and_empty_cells_are_null() {
        assert_eq!(rows("name,time_us\na,9\nb,0.5\n,\n").unwrap(), r#"[["a",9],["b",0.5],[null,null]]"#);
    }

    #[test]
    fn an_invalid_cell_names_its_line_and_column() {
        assert_eq!(rows("name,time_us\na,9\nb,fast\n").unwrap_err(), "line 3, time_us: fast is not a number");
        assert!(rows("name,time_us\na\n").unwrap_err().contains("line: 2"));
        assert!(rows("name,time_ns\na,1\n").unwrap_err().contains("expected name, time_us"));
    }
}
