//! What a promise is, and who would notice that it is broken.

/// Something that stays true whatever fails.
pub(crate) struct Promise {
    /// Of which part of the project: what `--only` names.
    pub(crate) part: &'static str,
    /// In one sentence.
    pub(crate) says: &'static str,
    /// What is done to break it.
    pub(crate) fault: &'static str,
    /// Who would notice.
    pub(crate) held_by: HeldBy,
}

/// Who would notice that a promise is broken.
pub(crate) enum HeldBy {
    /// Tests, each of which meets the fault as often as it says itself.
    Tests(&'static [Test]),
    /// Tests that repeat the fault at moments that nobody chooses, as often as `ROUNDTRIP_FAULT_ROUNDS` says.
    Rounds(&'static [Test]),
    /// `cargo xtask bench server --only soak`.
    Soak,
}

/// A test by its name.
pub(crate) struct Test {
    pub(crate) target: Target,
    /// As the test program lists it: modules and function.
    pub(crate) name: &'static str,
}

/// A program of tests: the folder of its package, and what it is called there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) folder: &'static str,
    pub(crate) name: &'static str,
}

impl HeldBy {
    /// Its tests; a benchmark has none.
    pub(crate) fn tests(&self) -> &'static [Test] {
        match self {
            Self::Tests(tests) | Self::Rounds(tests) => tests,
            Self::Soak => &[],
        }
    }
}

impl std::fmt::Display for Test {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Target { folder, name } = self.target;
        write!(formatter, "{folder}/tests/{name} {}", self.name)
    }
}
