//! One `[[program]]` of a definition: a program with its own transport.

use crate::mechanism::Mechanism;
use crate::program::{self, Launch, Place, Program};
use crate::{system, transport};
use roundtrip_wire::{Slug, TransportInfo};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declared {
    slug: Slug,
    title: String,
    family: Slug,
    semantics: String,
    /// Whether no commit of the measured repository can change it.
    #[serde(default)]
    control: bool,
    command: Spanned<Vec<String>>,
}

pub(super) struct Known {
    /// Bundled programs and those of the definition.
    programs: Vec<Arc<Program>>,
}

impl Known {
    /// With the programs of a definition, which has this text, started in its folder.
    pub(super) fn with(declared: Vec<Declared>, text: &str, folder: &Path) -> Result<Self, String> {
        let mut known = Self { programs: program::bundled().map(Arc::new).collect() };
        for Declared { slug, title, family, semantics, control, command } in declared {
            if known.find(slug.as_str()).is_ok() {
                return Err(format!("duplicate transport `{slug}`"));
            }
            let line =
                text.as_bytes()[..command.span().start].iter().filter(|byte| **byte == b'\n').count() + 1;
            let command = command.into_inner();
            if command.first().is_none_or(String::is_empty) {
                return Err(format!("empty command in `{slug}`: expected a program and its arguments"));
            }
            known.programs.push(Arc::new(Program {
                info: TransportInfo { slug, title, family, semantics, control },
                launch: Launch::Command(command),
                place: Place::Folder(folder.to_owned()),
                variant: None,
                systems: system::EVERY,
                unsupported: None,
                line: Some(line),
            }));
        }
        Ok(known)
    }

    /// Finds a mechanism by slug: a transport of the suite, a program of the definition, or a bundled program.
    pub(super) fn find(&self, slug: &str) -> Result<Mechanism, String> {
        if let Some(transport) = transport::find(slug) {
            return Ok(transport.into());
        }
        let program = self.programs.iter().find(|program| program.info.slug.as_str() == slug);
        program
            .map(|program| Mechanism::Program(program.clone()))
            .ok_or_else(|| format!("unknown transport `{slug}`"))
    }
}
