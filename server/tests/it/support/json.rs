//! Parts of a JSON answer by path.

use serde_json::Value;

/// The value at a path of names and numbers, such as `runs/0/commit/sha`. `*` selects each entry of a list.
/// Comma-separated paths give a list of their values.
#[track_caller]
pub(crate) fn at(value: &Value, path: &str) -> Value {
    if let Some((list, of_each)) = path.split_once('*') {
        let list = at(value, list.trim_end_matches('/'));
        let entries = list.as_array().unwrap_or_else(|| panic!("no list at {path}: {value}"));
        return entries.iter().map(|entry| at(entry, of_each.trim_start_matches('/'))).collect();
    }
    if path.contains(',') {
        return path.split(',').map(|path| at(value, path)).collect();
    }
    let pointer = if path.is_empty() { String::new() } else { format!("/{path}") };
    value.pointer(&pointer).cloned().unwrap_or_default()
}

/// The strings of the list at a path.
#[track_caller]
pub(crate) fn texts(value: &Value, path: &str) -> Vec<String> {
    let text = |one: &Value| one.as_str().unwrap_or_else(|| panic!("no text at {path}: {value}")).to_owned();
    at(value, path)
        .as_array()
        .unwrap_or_else(|| panic!("no list at {path}: {value}"))
        .iter()
        .map(text)
        .collect()
}
