//! Required properties of a transport or library.

use super::{Library, LibraryProgram, List};
use crate::cli::{Need, Waits};
use crate::failure::Failure;
use roundtrip_bench::ring::Waiting;
use roundtrip_bench::transport;
use roundtrip_wire::Slug;

/// Which transports and libraries to consider.
pub(crate) struct Needs {
    list: List,
    waits: Option<Waits>,
    language: Option<String>,
    needs: Vec<Need>,
}

/// The properties of a transport of the suite or of a program with a library.
pub(super) struct Properties<'a> {
    pub(super) waits: Waits,
    pub(super) to_many: bool,
    pub(super) notices_exit: bool,
    /// None for a transport of the suite.
    pub(super) library: Option<(&'a Library, &'a LibraryProgram)>,
}

impl Needs {
    /// # Errors
    /// If no library has this language.
    pub(crate) fn new(waits: Option<Waits>, language: Option<&str>, needs: &[Need]) -> crate::Result<Self> {
        let list = super::list()?;
        let mut languages: Vec<&str> = list.library.iter().map(|library| &*library.language).collect();
        languages.sort_unstable();
        languages.dedup();
        let known = |name: &str| languages.iter().find(|known| known.eq_ignore_ascii_case(name));
        let language = match language {
            None => None,
            Some(name) => Some(known(name).map(|&known| known.to_owned()).ok_or_else(|| {
                let known = languages.join(", ");
                Failure::Usage(format!("unknown language `{name}` in --language: expected one of {known}"))
            })?),
        };
        Ok(Self { list, waits, language, needs: needs.to_owned() })
    }

    pub(crate) fn accept(&self, slug: &Slug) -> bool {
        let Some(properties) = self.list.properties(slug) else {
            // The properties of other programs are unknown.
            return self.waits.is_none() && self.language.is_none() && self.needs.is_empty();
        };
        let library = properties.library.map(|(library, _)| library);
        self.waits.is_none_or(|waits| waits == properties.waits)
            && self
                .language
                .as_ref()
                .is_none_or(|language| library.is_none_or(|library| library.language == *language))
            && self.needs.iter().all(|need| match need {
                Need::ToMany => properties.to_many,
                Need::NoticesExit => properties.notices_exit,
                Need::NoDependencies => library.is_none_or(|library| library.standard),
            })
    }
}

impl From<Waiting> for Waits {
    fn from(waiting: Waiting) -> Self {
        match waiting {
            Waiting::Spin => Self::Spins,
            Waiting::Block | Waiting::SpinThenBlock => Self::Blocks,
        }
    }
}

impl List {
    /// Whether this is a program with a library.
    pub(super) fn is_library(&self, slug: &Slug) -> bool {
        self.properties(slug).is_some_and(|properties| properties.library.is_some())
    }

    /// The properties of a transport or program; none if it is neither in the suite nor in the list.
    pub(super) fn properties(&self, slug: &Slug) -> Option<Properties<'_>> {
        if let Some(transport) = transport::find(slug.as_str()) {
            let waits = transport.manner().waiting.into();
            // The conformance tests check that every transport notices the exit of the other end.
            let to_many = transport.ring().is_some();
            return Some(Properties { waits, to_many, notices_exit: true, library: None });
        }
        let programs =
            self.library.iter().flat_map(|library| library.program.iter().map(move |it| (library, it)));
        let (library, program) = programs.into_iter().find(|(_, program)| program.slug == *slug)?;
        Some(Properties {
            waits: program.waits,
            to_many: library.to_many,
            notices_exit: program.notices_exit,
            library: Some((library, program)),
        })
    }
}
