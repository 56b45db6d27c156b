//! The labels of a series in other systems: its place and all parameters of its case, named as in the API.

use roundtrip_storage::series::Series;
use serde_json::{Map, Value};

/// Returns the labels of a series: texts and numbers, only those that it has. No label names a commit or a run, so there
/// are no more sets of labels than series. `series_id` distinguishes series with equal cases and different methodologies.
///
/// # Errors
/// The case cannot be serialized.
pub(crate) fn series_labels(series_id: i64, series: &Series) -> serde_json::Result<Map<String, Value>> {
    let mut labels = Map::new();
    labels.insert("series_id".to_owned(), series_id.into());
    labels.insert("project".to_owned(), series.project.clone().into());
    labels.insert("machine".to_owned(), series.machine.clone().into());
    labels.insert("transport".to_owned(), series.transport.slug.to_string().into());
    if let Value::Object(case) = serde_json::to_value(&series.case)? {
        labels.extend(case.into_iter().filter(|(_, value)| value.is_string() || value.is_number()));
    }
    if let Some(measure) = &series.case.measure {
        labels.insert("measure".to_owned(), measure.name.clone().into());
        labels.insert("unit".to_owned(), measure.unit.clone().into());
    }
    Ok(labels)
}
