//! Where in a row its cells are, and what they have to be.

use super::malformed::{Problem, clipped};
use super::rows::Point;
use csv::StringRecord;

/// The columns that are read, by their place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    series: usize,
    index: usize,
    value: usize,
}

impl Columns {
    /// # Errors
    /// The header lacks one, or has several of that name.
    pub(super) fn of(header: &StringRecord) -> Result<Self, Problem> {
        let find = |name: &str| {
            let mut found = header.iter().enumerate().filter(|(_, column)| column.trim() == name);
            let problem = match (found.next(), found.next()) {
                (Some((place, _)), None) => return Ok(place),
                (None, _) => "no column",
                (Some(_), Some(_)) => "several columns",
            };
            Err(Problem::Unexpected {
                found: format!("the header has {problem} `{name}`, it is {}", listed(header)),
                expected: "the columns `series`, `index` and `value`".into(),
            })
        };
        Ok(Self { series: find("series")?, index: find("index")?, value: find("value")? })
    }

    /// The name of the series, and the point.
    ///
    /// # Errors
    /// A cell is not what it has to be.
    pub(super) fn read(self, row: &StringRecord) -> Result<(&str, Point), Problem> {
        let cell = |place| row.get(place).unwrap_or_default();
        let series = cell(self.series);
        if series.is_empty() {
            return Err(unexpected("`series`", series, "the name of a series"));
        }
        let [index, value] = [self.index, self.value].map(|place| cell(place).trim());
        let of_series = |column: &str| format!("`{column}` of series {}", clipped(series));
        let is_measured = |value: &f64| value.is_finite() && *value > 0.0;
        Ok((
            series,
            Point {
                index: index.parse().map_err(|_| unexpected(&of_series("index"), index, "a whole number"))?,
                value: value
                    .parse()
                    .ok()
                    .filter(is_measured)
                    .ok_or_else(|| unexpected(&of_series("value"), value, "a finite number above 0"))?,
            },
        ))
    }
}

fn unexpected(what: &str, text: &str, expected: &str) -> Problem {
    let found =
        if text.is_empty() { format!("{what} is missing") } else { format!("{what} is {}", clipped(text)) };
    Problem::Unexpected { found, expected: expected.into() }
}

/// The columns that there are, unless they are many.
fn listed(header: &StringRecord) -> String {
    const COLUMNS_MAX: usize = 10;
    let mut names: Vec<String> =
        header.iter().take(COLUMNS_MAX).map(|column| clipped(column).to_string()).collect();
    if header.len() > COLUMNS_MAX {
        names.push(format!("and {} more", header.len() - COLUMNS_MAX));
    }
    names.join(", ")
}
