//! `roundtrip.toml` at the root of a measured repository.

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
use std::time::Duration;

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

/// Settings of a repository's measurements.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "roundtrip.toml")]
pub(crate) struct Settings {
    /// Project name in charts. Default: the repository's name.
    pub(crate) project: Option<Name>,
    /// Presets and definitions (paths that end in `.toml`) that `roundtrip run` and agents measure in this order.
    /// Default: `quick`.
    pub(crate) presets: Vec<Preset>,
    /// Commands that build the programs of the definitions, run in order in the repository root without a
    /// shell. `roundtrip run` builds before measuring; `roundtrip ab` and agents build each revision.
    pub(crate) build: Vec<CommandLine>,
    /// Machines that may upload results. Default: any. Use it to keep laptops out of the charts; results of
    /// different machines are never compared.
    pub(crate) machines: Vec<Name>,
    /// Other benchmark commands, whose results `roundtrip run` imports after measuring the presets. `roundtrip ab --of revision`
    /// compares them if no preset is a definition.
    pub(crate) command: Vec<Imported>,
    /// Thresholds for the verdicts of comparisons.
    pub(crate) thresholds: Thresholds,
    /// Time limit of a comparison in pairs, such as `60s`, without builds: by `roundtrip ab` and, for each preset, by a paired
    /// job of the lab. Default: none.
    pub(crate) budget: Option<Budget>,
    /// Whether a paired job of the lab uploads the names of the programs' functions with the explanation and profile of a
    /// regression. Without names, functions have numbers; those of the kernel keep their names. Default: `uploaded`.
    pub(crate) function_names: FunctionNames,
}

/// Whether explanations and profiles name functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FunctionNames {
    #[default]
    Uploaded,
    Withheld,
}

/// A command whose results are imported.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Imported {
    /// The command, run in the repository root without a shell.
    pub(crate) run: CommandLine,
    /// Format of its results. Default: detected.
    #[serde(default)]
    #[schemars(with = "FormatText")]
    pub(crate) format: OrAuto<Format>,
    /// File with its results, relative to the repository root. Default: its output.
    pub(crate) file: Option<PathBuf>,
}

/// Thresholds for the verdicts of comparisons.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Thresholds {
    /// Accepted false-positive rate, in percent of comparisons. Default: 1.
    false_verdicts_percent: Option<Percent>,
    /// Smallest reported change, in percent of the base's time, even if a smaller one is significant.
    /// Default: 1.
    least_change_percent: Option<Percent>,
    /// A case is unchanged if its 95 % interval is within this percentage of the base's time. Default: 3.
    change_that_matters_percent: Option<Percent>,
}

/// A preset, or the path of a definition from the repository root.
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

/// A duration in words, such as `60s` or `2min 30s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", extend("minLength" = 2))]
pub(crate) struct Budget(pub(crate) Duration);

/// Above 0 and at most 100.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 100.0))]
struct Percent(f64);

deserialize_parsed!(Preset, CommandLine, Name, Budget, OrAuto<Format>);

impl Settings {
    /// Reads the settings of the repository with this root, or the defaults without a file.
    pub(crate) fn read(root: &Path) -> crate::Result<Self> {
        let path = root.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::of_text(&path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::Other(format!("cannot read {}: {error}", path.display()))),
        }
    }

    /// Reads the settings of the current repository, if there is one.
    pub(crate) fn here() -> crate::Result<Self> {
        match Git::here().root() {
            Ok(root) => Self::read(&root),
            Err(_) => Ok(Self::default()),
        }
    }

    pub(crate) fn of_text(path: &Path, text: &str) -> crate::Result<Self> {
        Self::parse(text).map_err(|error| Failure::Usage(format!("{}: {}", path.display(), error.trim_end())))
    }

    /// The parser's message has the line, the column, the text of the line and the expected value.
    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The project's name: from the argument, else from the file, else the repository's name.
    pub(crate) fn project(&self, asked: Option<&Slug>, repository_name: &str) -> Slug {
        let named = asked.or(self.project.as_ref().map(|Name(name)| name)).cloned();
        named.unwrap_or_else(|| Slug::from_name(repository_name))
    }

    /// Whether comparisons of revisions use the commands, because there is no definition.
    pub(crate) fn has_only_commands(&self) -> bool {
        !self.command.is_empty() && !self.presets.iter().any(Preset::is_definition)
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

    /// The time limit of a comparison in pairs: from the argument, else from the file.
    pub(crate) fn budget(&self, asked: Option<Duration>) -> Option<Duration> {
        asked.or(self.budget.map(|Budget(duration)| duration))
    }

    /// Rejects a machine that is not in the list of `machines`.
    pub(crate) fn check_machine(&self, machine: &Slug) -> crate::Result<()> {
        if self.machines.is_empty() || self.machines.iter().any(|Name(name)| name == machine) {
            return Ok(());
        }
        let known: Vec<&str> = self.machines.iter().map(|Name(name)| name.as_str()).collect();
        Err(Failure::Refused(format!(
            "machine {machine} is not in `machines` of {FILE} ({}). Add it, or leave out --upload.",
            known.join(", ")
        )))
    }
}

impl Preset {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn is_definition(&self) -> bool {
        self.0.ends_with(".toml")
    }

    /// A preset's name, or the absolute path of a definition.
    pub(crate) fn within(&self, root: &Path) -> PathBuf {
        if self.is_definition() { root.join(&self.0) } else { PathBuf::from(&self.0) }
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
            "unknown preset `{text}`: expected one of {}, or the path of a definition (FILE.toml)",
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
            "description": "A preset, or the path of a definition from the repository root.",
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
        let unknown = |_| format!("unknown format `{text}`: expected one of {}", format_names().join(", "));
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
            "description": "Format of the results; auto detects it.",
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
    /// As a shell command line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&shell_words::join(&self.0))
    }
}

impl TryFrom<&str> for CommandLine {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        match shell_words::split(text) {
            Ok(words) if words.is_empty() => {
                Err("empty command: expected a program and its arguments".into())
            }
            Ok(words) => Ok(Self(words)),
            Err(error) => Err(format!("{error}: expected a program and its arguments")),
        }
    }
}

impl TryFrom<&str> for Budget {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        humantime::parse_duration(text)
            .map(Self)
            .map_err(|error| format!("{error}: expected a duration such as `60s` or `2min 30s`"))
    }
}

impl TryFrom<f64> for Percent {
    type Error = String;

    fn try_from(percent: f64) -> Result<Self, String> {
        if percent > 0.0 && percent <= 100.0 {
            Ok(Self(percent))
        } else {
            Err(format!("{percent} is out of range: expected more than 0 and at most 100"))
        }
    }
}

// Values parsed during deserialization, so that an error points at the value and not at its list.

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

// The JSON schema of `roundtrip.toml`, generated from the types that read it, for completion and checks in
// editors.

/// The schema, in the JSON Schema draft that TOML editors support.
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
    fn arguments_override_settings_and_settings_the_repository() {
        let root = tempfile::tempdir().unwrap();
        let settings = Settings::read(root.path()).unwrap();
        assert_eq!(settings.project(None, "My Lib"), slug("my-lib"));
        std::fs::write(root.path().join(FILE), "project = 'libfoo'").unwrap();
        let settings = Settings::read(root.path()).unwrap();
        assert_eq!(settings.project(None, "My Lib"), slug("libfoo"));
        assert_eq!(settings.project(Some(&slug("asked")), "My Lib"), slug("asked"));
    }

    #[test]
    fn reads_all_settings() {
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
        assert!(refused.code() == 9 && refused.to_string().contains("roundtrip.toml (lab-1)"), "{refused}");
        assert!(Settings::default().check_machine(&slug("laptop")).is_ok());
    }

    #[test]
    fn an_argument_overrides_the_budget() {
        let settings = Settings::parse("budget = '1min 30s'").unwrap();
        assert_eq!(settings.budget(None), Some(Duration::from_secs(90)));
        assert_eq!(settings.budget(Some(Duration::from_secs(5))), Some(Duration::from_secs(5)));
        assert_eq!(Settings::default().budget(None), None);
    }

    #[test]
    fn reports_mistakes_that_the_schema_rejects() {
        for (text, at, expected) in [
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
            ("\npresets = ['quick', 'quik']", "line 2, column 21", "unknown preset `quik`: expected one of"),
            ("presets = 'quick'", "line 1, column 11", "expected a sequence"),
            ("machines = ['lab-1', 'Lab 2']", "line 1, column 22", "`Lab 2` is not a slug"),
            ("build = ['']", "line 1, column 10", "empty command: expected a program and its arguments"),
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
            ("[[command]]\nrun = 'x'\nformat = 'excel'", "line 3, column 10", "unknown format `excel`"),
            ("[[command]]\nformat = 'go'", "line 1, column 1", "missing field `run`"),
            ("project = 1", "line 1, column 11", "expected a string"),
            ("budget = 60", "line 1, column 10", "expected a string"),
            ("[thresholds]\nleast_change_percent = 101", "line 2, column 24", "at most 100"),
        ] {
            refused(text, at, expected);
            assert!(!is_valid(text), "the schema accepts {text}");
        }
        // Errors that a schema cannot express.
        refused("build = [\"make 'all\"]", "line 1, column 10", "expected a program and its arguments");
        refused("budget = '60'", "line 1, column 10", "expected a duration such as `60s`");
        refused("project = ", "line 1, column 11", "string values must be quoted");
    }

    fn refused(text: &str, at: &str, expected: &str) {
        let error = Settings::parse(text).unwrap_err();
        assert!(error.contains(at) && error.contains(expected), "{text}: {error}");
    }

    fn is_valid(text: &str) -> bool {
        let value: Value = toml::from_str(text).unwrap();
        let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
        compiler.add_resource("roundtrip.schema.json", schema()).unwrap();
        let schema = compiler.compile("roundtrip.schema.json", &mut schemas).unwrap();
        schemas.validate(&value, schema).is_ok()
    }

    #[test]
    fn schema_accepts_valid_settings() {
        for text in [
            "",
            "project = 'libfoo'\nbudget = '60s'",
            "presets = ['quick', 'bench/ipc.toml']\nbuild = ['make all']\nmachines = ['lab-1']",
            "[thresholds]\nfalse_verdicts_percent = 0.5\nleast_change_percent = 2\nchange_that_matters_percent = 100",
            "[[command]]\nrun = 'go test -bench .'\n[[command]]\nrun = 'make bench'\nformat = 'bmf'\nfile = 'out.json'",
            include_str!("../../roundtrip.toml"),
        ] {
            assert!(is_valid(text) && Settings::parse(text).is_ok(), "{text}");
        }
    }
}
