//! [`ReturnPath`]: the page to open after sign-in, never on another site.

/// The maximum length, in bytes.
const BYTES_MAX: usize = 2_048;

/// A path of this server's pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReturnPath(String);

impl Default for ReturnPath {
    fn default() -> Self {
        Self("/".to_owned())
    }
}

impl ReturnPath {
    /// Parses a path; an invalid one becomes `/`. Browsers read a backslash as a slash, ignore tabs and line breaks,
    /// and take two slashes for the beginning of a host.
    pub(super) fn parse(text: Option<&str>) -> Self {
        let is_path = |text: &&str| {
            text.len() <= BYTES_MAX
                && text.starts_with('/')
                && !text.starts_with("//")
                && text.chars().all(|character| character.is_ascii_graphic() && character != '\\')
        };
        text.filter(is_path).map_or_else(Self::default, |text| Self(text.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The path as the value of a query parameter.
    pub(super) fn encoded(&self) -> String {
        percent_encoding::utf8_percent_encode(&self.0, percent_encoding::NON_ALPHANUMERIC).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_local_path() {
        for path in ["/", "/libfoo", "/libfoo/series/7?run=1&x=%2F%2F#top", "/-/sign-in?to=//example.org"] {
            assert_eq!(ReturnPath::parse(Some(path)).as_str(), path);
        }
    }

    #[test]
    fn replaces_foreign_paths_by_the_start() {
        let long = format!("/{}", "a".repeat(BYTES_MAX));
        for text in [
            "",
            "libfoo",
            "//example.org",
            "///example.org",
            "/\\example.org",
            "\\/example.org",
            "/\t/example.org",
            "/\n/example.org",
            "https://example.org",
            "javascript:alert(1)",
            " /libfoo",
            "/lib foo",
            "/ä",
            &long,
        ] {
            assert_eq!(ReturnPath::parse(Some(text)), ReturnPath::default(), "{text:?}");
        }
        assert_eq!(ReturnPath::parse(None).as_str(), "/");
    }
}
