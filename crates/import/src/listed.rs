//! What a format is that stands in a list: the same for formats of times and of sizes, which are read into different things.

/// Makes `Reader`, what every format of a list `FORMATS` offers, and what follows for the format's type, `$Format(&'static
/// Reader)`: its names, that it is known by them, and `$Error::UnknownFormat` where it is not. `$Taker` takes over what is read.
macro_rules! listed {
    ($Format:ident, $Taker:ty, $Error:ident) => {
        /// What every format offers.
        pub(crate) struct Reader {
            /// Its name in commands and addresses.
            slug: &'static str,
            /// Its name for people: the tool, and which of its files.
            title: &'static str,
            /// Whether a file is of this format: certain rather than hopeful, and no file is of two. A file that is cut is
            /// still recognised by its beginning.
            detect: fn(&$crate::glance::Glance<'_>) -> bool,
            /// Hands over what a file says.
            read: fn(&str, &mut $Taker) -> Result<(), $crate::error::Fault>,
        }

        impl $Format {
            /// All formats, in alphabetical order.
            pub fn all() -> &'static [Self] {
                FORMATS
            }

            /// Its name in commands and addresses.
            pub fn slug(self) -> &'static str {
                self.0.slug
            }

            /// Its name for people.
            pub fn title(self) -> &'static str {
                self.0.title
            }

            /// Whether a file is of this format, by its beginning.
            pub fn detect(self, bytes: &[u8]) -> bool {
                $crate::text::of_bytes(bytes)
                    .is_ok_and(|text| (self.0.detect)(&$crate::glance::Glance::new(text)))
            }

            /// All slugs, for messages.
            pub(crate) fn list() -> String {
                FORMATS.iter().map(|format| format.slug()).collect::<Vec<_>>().join(", ")
            }
        }

        impl std::str::FromStr for $Format {
            type Err = $Error;

            fn from_str(slug: &str) -> Result<Self, $Error> {
                let known = FORMATS.iter().find(|format| format.slug() == slug);
                known.copied().ok_or_else(|| $Error::UnknownFormat {
                    slug: $crate::text::cut(slug, $crate::text::SHORT),
                })
            }
        }

        impl std::fmt::Display for $Format {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.slug())
            }
        }

        impl std::fmt::Debug for $Format {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "{}({})", stringify!($Format), self.slug())
            }
        }

        impl PartialEq for $Format {
            fn eq(&self, other: &Self) -> bool {
                self.slug() == other.slug()
            }
        }

        impl Eq for $Format {}
    };
}

pub(crate) use listed;
