//! `roundtrip.toml` as a JSON schema, made of the types that read it: an editor that knows it completes and checks what
//! somebody writes.

use super::Settings;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema, of the draft that editors read TOML with.
pub(crate) fn schema() -> Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Settings>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_valid(text: &str) -> bool {
        let value: Value = toml::from_str(text).unwrap();
        jsonschema::draft7::new(&schema()).unwrap().is_valid(&value)
    }

    #[test]
    fn the_schema_accepts_what_is_read_and_refuses_what_is_not() {
        for text in [
            "",
            "project = 'libfoo'",
            "presets = ['quick', 'bench/ipc.toml']\nbuild = ['make all']\nmachines = ['lab-1']",
            "[thresholds]\nfalse_verdicts_percent = 0.5\nleast_change_percent = 2\nchange_that_matters_percent = 100",
            "[[command]]\nrun = 'go test -bench .'\n[[command]]\nrun = 'make bench'\nformat = 'bmf'\nfile = 'out.json'",
            include_str!("../../../roundtrip.toml"),
        ] {
            assert!(is_valid(text) && Settings::parse(text).is_ok(), "{text}");
        }
        for text in [
            "projct = 'x'",
            "project = 'My Lib'",
            "project = 1",
            "presets = 'quick'",
            "presets = ['quik']",
            "build = ['']",
            "[[command]]\nformat = 'go'",
            "[[command]]\nrun = 'x'\nformat = 'excel'",
            "machines = ['Lab 1']",
            "[thresholds]\nleast_change_percent = 0",
            "[thresholds]\nleast_change_percent = 101",
            "[thresholds]\nleast_change = 1",
        ] {
            assert!(!is_valid(text) && Settings::parse(text).is_err(), "{text}");
        }
    }
}
