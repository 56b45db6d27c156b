//! `roundtrip.toml` at the root of a measured repository: what is measured of each of its commits, and how.

use crate::cli::{AUTO, OrAuto};
use crate::failure::Failure;
use crate::repository::Git;
use roundtrip_bench::definition;
use roundtrip_import::Format;
use roundtrip_stats::verdict::Rule;
use roundtrip_wire::Slug;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Implements `Deserialize` by [`parsed`].
macro_rules! deserialize_parsed {
    ($($type:ty),*) => {
        $(impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                parsed(deserializer)
            }
        })*
    };
}

pub(crate) const FILE: &str = "roundtrip.toml";

/// What is measured of a repository, and how.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "roundtrip.toml")]
pub(crate) struct Settings {
    /// The project's name in charts. Without it: the repository's.
    pub(crate) project: Option<Name>,
    /// What `roundtrip run` measures, one after the other: presets of the suite, and definitions of this repository,
    /// whose paths end in `.toml`. Without it: `quick`.
    pub(crate) presets: Vec<Preset>,
    /// What builds the programs that definitions start: commands that are run in the root of the repository, one after
    /// the other, without a shell. `roundtrip run` builds before it measures, `roundtrip ab` builds each revision.
    pub(crate) build: Vec<CommandLine>,
    /// The machines whose results are uploaded. Without it: any. Results of different machines are never compared, and
    /// a laptop among them is only another line in every chart.
    pub(crate) machines: Vec<Name>,
    /// Other benchmarks of this repository, whose results `roundtrip run` imports when it has measured the presets.
    pub(crate) command: Vec<Imported>,
    /// What it takes to say that a case changed, or that it did not.
    pub(crate) thresholds: Thresholds,
}

/// A command whose results are imported.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Imported {
    /// What is run in the root of the repository, without a shell.
    pub(crate) run: CommandLine,
    /// The format of its results. Without it: the one that they show.
    #[serde(default)]
    #[schemars(with = "FormatText")]
    pub(crate) format: OrAuto<Format>,
    /// The file that it writes them to, from the root. Without it: they are what it prints.
    pub(crate) file: Option<PathBuf>,
}

/// What it takes to say that a case changed, or that it did not.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Thresholds {
    /// As many in a hundred comparisons may be said to have changed where nothing did. Without it: 1.
    false_verdicts_percent: Option<Percent>,
    /// A change below this share of the base's time is none, however sure it is. Without it: 1.
    least_change_percent: Option<Percent>,
    /// A case whose 95 % interval is within this share of the base's time has not changed. Without it: 3.
    change_that_matters_percent: Option<Percent>,
}

/// A preset of the suite, or the path of a definition from the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Preset(String);

/// A program and its arguments, as a shell splits them.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", extend("minLength" = 1))]
pub(crate) struct CommandLine(pub(crate) Vec<String>);

/// A name of charts and addresses.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength" = 64))]
pub(crate) struct Name(Slug);

/// More than nothing, and at most all.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 100.0))]
struct Percent(f64);

deserialize_parsed!(Preset, CommandLine, Name, OrAuto<Format>);

impl Settings {
    /// Those of the repository with this root; without a file, those that apply then.
    pub(crate) fn read(root: &Path) -> crate::Result<Self> {
        let path = root.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::of_text(&path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::Other(format!("cannot read {}: {error}", path.display()))),
        }
    }

    /// Those of the repository that we are in, if we are in one.
    pub(crate) fn here() -> crate::Result<Self> {
        match Git::here().root() {
            Ok(root) => Self::read(&root),
            Err(_) => Ok(Self::default()),
        }
    }

    pub(crate) fn of_text(path: &Path, text: &str) -> crate::Result<Self> {
        Self::parse(text).map_err(|error| Failure::Usage(format!("{}: {}", path.display(), error.trim_end())))
    }

    /// The message of the parser has line, column, the line itself and what was expected.
    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The project's name: as asked, else as the file says, else the name of the repository.
    pub(crate) fn project(&self, asked: Option<&Slug>, repository_name: &str) -> Slug {
        let named = asked.or(self.project.as_ref().map(|Name(name)| name)).cloned();
        named.unwrap_or_else(|| Slug::from_name(repository_name))
    }

    pub(crate) fn rule(&self) -> Rule {
        let or = |percent: Option<Percent>, default: f64| percent.map_or(default, |Percent(of)| of / 100.0);
        let (thresholds, default) = (&self.thresholds, Rule::default());
        Rule {
            false_share: or(thresholds.false_verdicts_percent, default.false_share),
            least: or(thresholds.least_change_percent, default.least),
            matters: or(thresholds.change_that_matters_percent, default.matters),
            ..default
        }
    }

    /// Refuses a machine that is not among those whose results are uploaded.
    pub(crate) fn check_machine(&self, machine: &Slug) -> crate::Result<()> {
        if self.machines.is_empty() || self.machines.iter().any(|Name(name)| name == machine) {
            return Ok(());
        }
        let known: Vec<&str> = self.machines.iter().map(|Name(name)| name.as_str()).collect();
        Err(Failure::Refused(format!(
            "{FILE} takes results of the machines {} alone, and this one is called {machine}: name it there, or \
             measure without --upload",
            known.join(", ")
        )))
    }
}

impl Preset {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// A name, or a path that holds wherever we are.
    pub(crate) fn within(&self, root: &Path) -> PathBuf {
        if self.0.ends_with(".toml") { root.join(&self.0) } else { PathBuf::from(&self.0) }
    }
}

impl TryFrom<&str> for Preset {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        if text.ends_with(".toml") || definition::names().any(|name| name == text) {
            return Ok(Self(text.to_owned()));
        }
        let known: Vec<&str> = definition::names().collect();
        Err(format!(
            "no preset is called `{text}`: expected one of {}, or the path of a definition, FILE.toml",
            known.join(", ")
        ))
    }
}

impl JsonSchema for Preset {
    fn schema_name() -> Cow<'static, str> {
        "Preset".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = definition::names().collect();
        json_schema!({
            "description": "A preset of the suite, or the path of a definition from the root of the repository.",
            "type": "string",
            "anyOf": [{ "enum": names }, { "pattern": r"\.toml$" }],
        })
    }
}

impl TryFrom<&str> for Name {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        Slug::parse(text).map(Self).map_err(|error| error.to_string())
    }
}

fn format_names() -> Vec<&'static str> {
    [AUTO].into_iter().chain(Format::all().iter().map(|format| format.slug())).collect()
}

impl TryFrom<&str> for OrAuto<Format> {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(Self(None));
        }
        let unknown =
            |_| format!("no format is called `{text}`: expected one of {}", format_names().join(", "));
        text.parse().map(|format| Self(Some(format))).map_err(unknown)
    }
}

struct FormatText;

impl JsonSchema for FormatText {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A format of result files, or auto: the one that they show.",
            "enum": format_names(),
        })
    }
}

impl CommandLine {
    pub(crate) fn program(&self) -> &str {
        let program = self.0.first().map_or("", String::as_str);
        program.rsplit(['/', '\\']).next().unwrap_or(program)
    }
}

impl fmt::Display for CommandLine {
    /// As a shell would take it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&shell_words::join(&self.0))
    }
}

impl TryFrom<&str> for CommandLine {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        match shell_words::split(text) {
            Ok(words) if words.is_empty() => Err("it is empty: expected a program and its arguments".into()),
            Ok(words) => Ok(Self(words)),
            Err(error) => Err(format!("{error}: expected a program and its arguments")),
        }
    }
}

impl TryFrom<f64> for Percent {
    type Error = String;

    fn try_from(percent: f64) -> Result<Self, String> {
        if percent > 0.0 && percent <= 100.0 {
            Ok(Self(percent))
        } else {
            Err(format!("{percent} is no share: expected more than 0 and at most 100"))
        }
    }
}

// Values that are parsed while they are read, so that an error points at the value and not at the list that holds it.

fn parsed<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: for<'a> TryFrom<&'a str, Error = String>,
{
    struct Parsed<T>(PhantomData<T>);

    impl<T> Visitor<'_> for Parsed<T>
    where
        T: for<'a> TryFrom<&'a str, Error = String>,
    {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::try_from(text).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Parsed(PhantomData))
}

// `roundtrip.toml` as a JSON schema, made of the types that read it: an editor that knows it completes and checks what
// somebody writes.

/// The schema, of the draft that editors read TOML with.
pub(crate) fn schema() -> Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Settings>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug(text: &str) -> Slug {
        Slug::parse(text).unwrap()
    }

    #[test]
    fn what_is_asked_comes_before_the_file_and_the_file_before_the_repository() {
        let root = tempfile::tempdir().unwrap();
        let settings = Settings::read(root.path()).unwrap();
        assert_eq!(settings.project(None, "My Lib"), slug("my-lib"));
        std::fs::write(root.path().join(FILE), "project = 'libfoo'").unwrap();
        let settings = Settings::read(root.path()).unwrap();
        assert_eq!(settings.project(None, "My Lib"), slug("libfoo"));
        assert_eq!(settings.project(Some(&slug("asked")), "My Lib"), slug("asked"));
    }

    #[test]
    fn all_that_a_file_can_say_is_read() {
        let settings = Settings::parse(
            "project = 'libfoo'\npresets = ['quick', 'bench/ipc.toml']\nbuild = ['make -C \"my bench\" all']\n\
             machines = ['lab-1']\n[[command]]\nrun = 'go test -bench .'\nformat = 'go'\n[thresholds]\nfalse_verdicts_percent = 0.5\nleast_change_percent = 2\n",
        )
        .unwrap();
        let root = Path::new("/home/me/libfoo");
        let presets: Vec<PathBuf> = settings.presets.iter().map(|preset| preset.within(root)).collect();
        assert_eq!(presets, [PathBuf::from("quick"), root.join("bench/ipc.toml")]);
        assert_eq!(settings.build[0].0, ["make", "-C", "my bench", "all"]);
        let command = &settings.command[0];
        assert_eq!((&command.run.0[..2], &command.file), (&["go".to_owned(), "test".to_owned()][..], &None));
        assert_eq!(command.format.0.map(|format| format.slug()), Some("go"));
        let rule = settings.rule();
        assert_eq!((rule.false_share, rule.least, rule.matters), (0.005, 0.02, Rule::default().matters));
        assert!(settings.check_machine(&slug("lab-1")).is_ok());
        let refused = settings.check_machine(&slug("laptop")).unwrap_err();
        assert!(refused.code() == 9 && refused.to_string().contains("lab-1 alone"), "{refused}");
        assert!(Settings::default().check_machine(&slug("laptop")).is_ok());
    }

    #[test]
    fn a_mistake_is_named_with_its_place_and_what_was_expected_and_the_schema_refuses_it() {
        for (text, at, told) in [
            (
                "project = 'x'\nprojct = 'y'",
                "line 2, column 1",
                "unknown field `projct`, expected one of `project`",
            ),
            (
                "project = 'My Lib'",
                "line 1, column 11",
                "`My Lib` is not a slug: expected 1 to 64 characters",
            ),
            (
                "\npresets = ['quick', 'quik']",
                "line 2, column 21",
                "no preset is called `quik`: expected one of",
            ),
            ("presets = 'quick'", "line 1, column 11", "expected a sequence"),
            ("machines = ['lab-1', 'Lab 2']", "line 1, column 22", "`Lab 2` is not a slug"),
            ("build = ['']", "line 1, column 10", "it is empty: expected a program and its arguments"),
            (
                "[thresholds]\nleast_change_percent = 0",
                "line 2, column 24",
                "expected more than 0 and at most 100",
            ),
            (
                "[thresholds]\nleast_change = 1",
                "line 2, column 1",
                "unknown field `least_change`, expected one of",
            ),
            ("[[command]]\nrun = 'x'\nformat = 'excel'", "line 3, column 10", "no format is called `excel`"),
            ("[[command]]\nformat = 'go'", "line 1, column 1", "missing field `run`"),
            ("project = 1", "line 1, column 11", "expected a string"),
            ("[thresholds]\nleast_change_percent = 101", "line 2, column 24", "at most 100"),
        ] {
            refused(text, at, told);
            assert!(!is_valid(text), "the schema accepts {text}");
        }
        // What no schema can know.
        refused("build = [\"make 'all\"]", "line 1, column 10", "expected a program and its arguments");
        refused("project = ", "line 1, column 11", "string values must be quoted");
    }

    fn refused(text: &str, at: &str, told: &str) {
        let error = Settings::parse(text).unwrap_err();
        assert!(error.contains(at) && error.contains(told), "{text}: {error}");
    }

    fn is_valid(text: &str) -> bool {
        let value: Value = toml::from_str(text).unwrap();
        let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
        compiler.add_resource("roundtrip.schema.json", schema()).unwrap();
        let schema = compiler.compile("roundtrip.schema.json", &mut schemas).unwrap();
        schemas.validate(&value, schema).is_ok()
    }

    #[test]
    fn the_schema_accepts_what_is_read() {
        for text in [
            "",
            "project = 'libfoo'",
            "presets = ['quick', 'bench/ipc.toml']\nbuild = ['make all']\nmachines = ['lab-1']",
            "[thresholds]\nfalse_verdicts_percent = 0.5\nleast_change_percent = 2\nchange_that_matters_percent = 100",
            "[[command]]\nrun = 'go test -bench .'\n[[command]]\nrun = 'make bench'\nformat = 'bmf'\nfile = 'out.json'",
            include_str!("../../roundtrip.toml"),
        ] {
            assert!(is_valid(text) && Settings::parse(text).is_ok(), "{text}");
        }
    }
}
