//! Lines of CSV whose fields are whole numbers: nothing is quoted in them.

use crate::error::{Fault, Place};
use crate::text;

/// The lines that hold something, with their places.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Place, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index, line.trim()));
    lines.filter(|(_, line)| !line.is_empty()).map(|(index, line)| (Place::line(index + 1), line))
}

/// Whether a line has these fields, as a header has.
pub(super) fn is(line: &str, columns: &[&str]) -> bool {
    line.split(',').map(str::trim).eq(columns.iter().copied())
}

/// As many fields as there are columns, and all of them whole numbers.
pub(super) fn numbers<const N: usize>(
    line: &str,
    columns: [&str; N],
    place: &Place,
) -> Result<[u64; N], Fault> {
    let found = line.split(',').count();
    if found != N {
        return Err(place
            .clone()
            .fault(format!("expected {N} fields, {}, found {found}", columns.join(", "))));
    }
    let mut numbers = [0; N];
    for ((number, column), field) in numbers.iter_mut().zip(columns).zip(line.split(',')) {
        *number = whole(field.trim()).map_err(|problem| place.clone().of_member(column).fault(problem))?;
    }
    Ok(numbers)
}

/// A number without sign and point.
fn whole(field: &str) -> Result<u64, String> {
    let found = text::cut(field, 40);
    if field.is_empty() || !field.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("expected a whole number that is not negative, found `{found}`"));
    }
    field.parse().map_err(|_| format!("expected a number that fits into 64 bits, found `{found}`"))
}
