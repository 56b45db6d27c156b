//! Reads presets of the suite and definitions.

use crate::failure::Failure;
use crate::libraries;
use roundtrip_bench::definition::{self, InvalidDefinition, Plan};
use std::path::Path;

/// A preset of the suite, or a definition in a file, named by the file without `.toml`.
pub(crate) fn plan(preset: &str) -> crate::Result<Plan> {
    if preset == libraries::PRESET {
        return plan(&libraries::preset()?.to_string_lossy());
    }
    if !is_definition(preset) {
        return definition::preset(preset).map_err(invalid);
    }
    let text = std::fs::read_to_string(preset)
        .map_err(|error| Failure::Usage(format!("cannot read definition {preset}: {error}")))?;
    // Programs start in the folder of the definition.
    let path = std::path::absolute(preset)
        .map_err(|error| Failure::Other(format!("cannot find {preset}: {error}")))?;
    defined(&path, &text)
}

/// Whether this is the path of a definition and not a name in the suite.
pub(crate) fn is_definition(preset: &str) -> bool {
    preset.ends_with(".toml")
}

/// Parses a definition. Its programs start in its folder.
pub(crate) fn defined(path: &Path, text: &str) -> crate::Result<Plan> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    definition::parse(&name, text, path.parent().unwrap_or(path)).map_err(invalid)
}

fn invalid(error: InvalidDefinition) -> Failure {
    Failure::Usage(error.to_string())
}
