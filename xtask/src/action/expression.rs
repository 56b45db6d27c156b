//! `${{ }}`: names of values, and nothing else. An expression that this program cannot work out is an error, so that what is
//! tested is what GitHub runs.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;

/// Values by their names: `inputs.mode`, `github.event.pull_request.head.sha`.
pub(super) type Values = BTreeMap<String, String>;

/// The text with every expression replaced by its value.
///
/// # Errors
/// An expression is more than a name, or the name of nothing.
pub(super) fn evaluate(text: &str, values: &Values) -> Result<String> {
    let mut parts = text.split("${{");
    let mut evaluated = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (expression, rest) =
            part.split_once("}}").with_context(|| format!("`{text}` ends in an expression"))?;
        let name = expression.trim();
        let is_name = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
        ensure!(!name.is_empty() && name.chars().all(is_name), "`{name}` is more than the name of a value");
        evaluated.push_str(values.get(name).with_context(|| format!("`{name}` is not known here"))?);
        evaluated.push_str(rest);
    }
    Ok(evaluated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_everything_else_is_an_error() {
        let values = Values::from([("inputs.mode".into(), "ab".into()), ("runner.temp".into(), "/t".into())]);
        assert_eq!(evaluate("${{ runner.temp }}/${{inputs.mode}}.json", &values).unwrap(), "/t/ab.json");
        assert_eq!(evaluate("$HOME", &values).unwrap(), "$HOME");
        for wrong in ["${{ inputs.other }}", "${{ inputs.mode == 'ab' }}", "${{ }}", "${{ inputs.mode"] {
            assert!(evaluate(wrong, &values).is_err(), "{wrong}");
        }
    }
}
