//! `roundtrip libraries`: programs that carry messages with other IPC libraries, to compare with the transports of the suite.
//!
//! Their sources (`benches/libraries/`) are part of this program. `build` copies them to a folder of the user's cache, builds
//! them there, and writes a definition next to them, which is the preset `libraries`.

mod needs;
mod page;

pub(crate) use needs::Needs;

use crate::build::{self, Limits};
use crate::cli::{Format, LibrariesArguments, LibraryCommand, Waits};
use crate::failure::{Failure, OnDisk};
use crate::settings::CommandLine;
use crate::stop;
use crate::{output, report_file};
use comfy_table::{ContentArrangement, Table, presets as styles};
use roundtrip_bench::program::node::find_in_path;
use roundtrip_bench::system::{SupportedSystem, System};
use roundtrip_bench::transport::{self, OnFull, Transport};
use roundtrip_wire::Slug;
use rust_embed::Embed;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The preset of the built programs.
pub(crate) const PRESET: &str = "libraries";

/// Most libraries are built in a minute; those with large dependencies take several.
const BUILD_TIME_MAX: Duration = Duration::from_secs(30 * 60);

const LIST: &str = "libraries.toml";
/// In the folder of a library, after it was built: the digest of its sources.
const BUILT: &str = ".built";

/// The sources, without what a build adds to them.
#[derive(Embed)]
#[folder = "../benches/libraries"]
#[exclude = "*/target/*"]
#[exclude = "*/node_modules/*"]
#[exclude = "*/build/*"]
#[exclude = "*/__pycache__/*"]
struct Sources;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    library: Vec<Library>,
}

/// A library, and the programs that use it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Library {
    slug: Slug,
    title: String,
    version: String,
    language: String,
    licence: String,
    /// Where the library says that it works.
    systems: Vec<String>,
    /// Whether a message can have several receivers.
    to_many: bool,
    /// Whether it is part of the language's standard library.
    #[serde(default)]
    standard: bool,
    /// Programs for building and running.
    needs: Vec<String>,
    /// Debian packages for building.
    packages: Vec<String>,
    build: Vec<Vec<String>>,
    /// Lines of the program that uses it, without comments, blank lines and the protocol.
    lines: u32,
    program: Vec<LibraryProgram>,
}

/// A program with one way to use its library.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct LibraryProgram {
    slug: Slug,
    title: String,
    settings: Settings,
    waits: Waits,
    semantics: String,
    /// Whether a waiting receiver gets an error if the other process dies.
    #[serde(default)]
    notices_exit: bool,
    /// Whether its ends are threads of one process.
    #[serde(default)]
    threads: bool,
    /// Run in the folder of its library.
    command: Vec<String>,
}

/// The settings of a library.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Settings {
    Default,
    /// As its documentation recommends for low latency.
    Latency,
}

/// Runs the verb.
pub(crate) fn libraries(arguments: &LibrariesArguments) -> crate::Result<()> {
    let list = list()?;
    let folder = folder()?;
    match &arguments.command {
        None => print_list(&list, &folder, arguments.format),
        Some(LibraryCommand::Build { names }) => build(&list, &folder, names),
        Some(LibraryCommand::Page { report }) => {
            output::print(&page::page(&list, &report_file::read(report)?)?)
        }
    }
}

/// The definition of the built programs.
///
/// # Errors
/// If none is built.
pub(crate) fn preset() -> crate::Result<PathBuf> {
    let path = definition_path(&folder()?);
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::Usage(
        "no library is built for the preset libraries: run `roundtrip libraries build`".into(),
    ))
}

fn list() -> crate::Result<List> {
    let text = Sources::get(LIST).map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let list = text.ok_or_else(|| Failure::Other(format!("this program was built without {LIST}")))?;
    toml::from_str(&list).map_err(|error| Failure::Other(format!("{LIST}: {error}")))
}

/// The folder of the copied sources, as in the repository.
fn folder() -> crate::Result<PathBuf> {
    let cache =
        dirs::cache_dir().ok_or_else(|| Failure::Other("this user has no cache folder: set HOME".into()))?;
    Ok(cache.join("roundtrip").join(PRESET))
}

fn definition_path(folder: &Path) -> PathBuf {
    folder.join(LIST)
}

fn build(list: &List, folder: &Path, names: &[Slug]) -> crate::Result<()> {
    if let Some(unknown) =
        names.iter().find(|name| !list.library.iter().any(|library| library.slug == **name))
    {
        let known: Vec<&str> = list.library.iter().map(|library| library.slug.as_str()).collect();
        return Err(Failure::Usage(format!(
            "unknown library `{unknown}`: expected one of {}",
            known.join(", ")
        )));
    }
    copy_sources(folder)?;
    let mut limits = Limits { timeout: BUILD_TIME_MAX, stop: &mut stop::until_signalled()? };
    let mut failed = 0;
    for library in list.library.iter().filter(|library| names.is_empty() || names.contains(&library.slug)) {
        match library.build_in(folder, &mut limits) {
            Ok(()) => eprintln!("{} {}: built", library.slug, library.version),
            Err(reason) => {
                let failure = limits.failure(format!("{}: {reason}", library.slug));
                if matches!(failure, Failure::Stopped(_)) {
                    return Err(failure);
                }
                eprintln!("{} {}: {reason}", library.slug, library.version);
                failed += 1;
            }
        }
    }
    let built = write_definition(list, folder)?;
    eprintln!("{built} programs in {}", definition_path(folder).display());
    match failed {
        0 => Ok(()),
        failed => Err(Failure::Other(format!(
            "{failed} of the libraries could not be built; `roundtrip run --preset libraries` measures the others"
        ))),
    }
}

/// Copies all sources. Unchanged files keep their time, so that build tools skip them.
fn copy_sources(folder: &Path) -> crate::Result<()> {
    for name in Sources::iter() {
        let Some(file) = Sources::get(&name) else { continue };
        // The list is written below, with the built programs.
        let path = folder.join(&*name);
        if &*name == LIST || fs::read(&path).is_ok_and(|found| found == *file.data) {
            continue;
        }
        fs::create_dir_all(path.parent().unwrap_or(folder)).on_disk(&path)?;
        fs::write(&path, &file.data).on_disk(&path)?;
    }
    Ok(())
}

/// Writes the definition of all built programs; returns their number.
fn write_definition(list: &List, folder: &Path) -> crate::Result<usize> {
    let built: Vec<&Library> = list.library.iter().filter(|library| library.is_built_in(folder)).collect();
    let path = definition_path(folder);
    if built.is_empty() {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error).on_disk(&path),
            _ => Ok(0),
        };
    }
    fs::write(&path, definition(&built, folder)?).on_disk(&path)?;
    Ok(built.iter().map(|library| library.program.len()).sum())
}

/// The definition of the programs of these libraries.
fn definition(libraries: &[&Library], folder: &Path) -> crate::Result<String> {
    let programs =
        || libraries.iter().flat_map(|library| library.program.iter().map(move |program| (library, program)));
    let declared = programs().map(|(library, program)| {
        json!({
            "slug": program.slug,
            "title": program.title,
            "family": "library",
            "semantics": format!("{} {}. {}", library.title, library.version, program.semantics),
            "control": true,
            "command": program.command.iter().map(|word| library.word(word, folder)).collect::<Vec<_>>(),
        })
    });
    let programs_that = |is_wanted: &dyn Fn(&LibraryProgram) -> bool| {
        let wanted = programs().filter(|(_, program)| is_wanted(program));
        wanted.map(|(_, program)| program.slug.clone()).collect::<Vec<_>>()
    };
    let all_that = |waits| {
        let mut slugs = programs_that(&|program| program.waits == waits && !program.threads);
        slugs.extend(mechanisms(waits));
        slugs
    };
    let cases = [
        ("2proc", &["same-cpu", "cross-cpu"][..], 1, all_that(Waits::Blocks)),
        // Two ends that spin need a processor each. A round trip takes less than a microsecond.
        ("2proc", &["cross-cpu"], 10, all_that(Waits::Spins)),
        ("2thread", &["free"], 1, programs_that(&|program| program.threads)),
    ];
    let cases = cases.into_iter().filter(|(.., transports)| !transports.is_empty());
    let definition = json!({
        "about": "Libraries for IPC, and the transports of the suite.",
        "deadline_seconds": 30,
        "program": declared.collect::<Vec<_>>(),
        "case": cases.map(|(mode, placements, batch, transports)| json!({
            "scenario": "roundtrip",
            "transports": transports,
            "message_bytes": [64, 1_024, 4_096, 65_536, 1_048_576],
            "modes": [mode],
            "placements": placements,
            "operations": 300,
            "warmup": 30,
            "batch": batch,
            "repetitions": { "min": 6, "max": 10, "width_percent": 3 },
        })).collect::<Vec<_>>(),
    });
    toml::to_string(&definition)
        .map_err(|error| Failure::Other(format!("cannot write the definition of the libraries: {error}")))
}

/// The transports of the suite to compare with: those of this system that do not lose messages.
fn mechanisms(waits: Waits) -> impl Iterator<Item = Slug> {
    let here = |transport: &&dyn Transport| {
        let is_here = |supported: &SupportedSystem| System::here() == Some(supported.system);
        transport.manner().on_full == OnFull::Wait && transport.systems().iter().any(is_here)
    };
    let waits = move |transport: &&dyn Transport| Waits::from(transport.manner().waiting) == waits;
    transport::ALL.iter().copied().filter(here).filter(waits).map(|transport| transport.info().slug)
}

impl Library {
    /// Builds it, unless its sources are those of the last build.
    fn build_in(&self, folder: &Path, limits: &mut Limits<'_>) -> Result<(), String> {
        if self.is_built_in(folder) {
            return Ok(());
        }
        let absent: Vec<&str> =
            self.needs.iter().map(String::as_str).filter(|program| find_in_path(program).is_none()).collect();
        if !absent.is_empty() {
            return Err(format!("not built, because these programs are missing: {}", absent.join(", ")));
        }
        let commands: Vec<CommandLine> = self.build.iter().cloned().map(CommandLine).collect();
        build::build(&commands, &self.folder_in(folder), limits).map_err(|reason| match &*self.packages {
            [] => reason,
            packages => format!("{reason}. On Debian, it needs the packages {}", packages.join(" ")),
        })?;
        let mark = self.folder_in(folder).join(BUILT);
        fs::write(&mark, self.digest()).map_err(|error| format!("cannot write {}: {error}", mark.display()))
    }

    fn is_built_in(&self, folder: &Path) -> bool {
        fs::read_to_string(self.folder_in(folder).join(BUILT)).is_ok_and(|found| found == self.digest())
    }

    fn folder_in(&self, folder: &Path) -> PathBuf {
        folder.join(self.slug.as_str())
    }

    /// The digest of its sources and of those that libraries share.
    fn digest(&self) -> String {
        let own = format!("{}/", self.slug);
        let is_used = |name: &str| name.starts_with(&own) || name.contains("-protocol/");
        let mut names: Vec<_> = Sources::iter().filter(|name| is_used(name)).collect();
        names.sort_unstable();
        let mut digest = Sha256::new();
        for name in names {
            digest.update(name.as_bytes());
            if let Some(file) = Sources::get(&name) {
                digest.update(file.metadata.sha256_hash());
            }
        }
        hex::encode(digest.finalize())
    }

    /// A word of a command, from the folder of the definition: files of the library are in its folder.
    fn word(&self, word: &str, folder: &Path) -> String {
        let is_file = !word.is_empty() && self.folder_in(folder).join(word).exists();
        match word.strip_prefix("./") {
            Some(file) => format!("./{}/{file}", self.slug),
            None if is_file => format!("{}/{word}", self.slug),
            None => word.to_owned(),
        }
    }
}

/// A library and its state on this machine.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    library: &'a Library,
    is_built: bool,
}

fn print_list(list: &List, folder: &Path, format: Format) -> crate::Result<()> {
    let listed: Vec<Listed<'_>> = list
        .library
        .iter()
        .map(|library| Listed { library, is_built: library.is_built_in(folder) })
        .collect();
    if format == Format::Json {
        return output::print_json(&json!({ "libraries": listed, "definition": definition_path(folder) }));
    }
    let mut table = Table::new();
    table.load_style(styles::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(output::terminal_width());
    table.set_header(["library", "version", "language", "licence", ""]);
    for Listed { library, is_built } in &listed {
        let state = if *is_built { "built" } else { "" };
        table.add_row([library.slug.as_str(), &library.version, &library.language, &library.licence, state]);
    }
    output::print(&format!(
        "{table}\n\nBuild all: roundtrip libraries build\nMeasure:   roundtrip run --preset libraries\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_its_sources_and_every_program_a_slug_of_its_own() {
        let list = list().unwrap();
        let mut slugs: Vec<&Slug> =
            list.library.iter().flat_map(|library| &library.program).map(|program| &program.slug).collect();
        let count = slugs.len();
        slugs.sort_unstable();
        slugs.dedup();
        assert_eq!(slugs.len(), count);
        for library in &list.library {
            let own = format!("{}/", library.slug);
            assert!(Sources::iter().any(|name| name.starts_with(&own)), "{own}");
            assert!(library.lines > 0 && !library.program.is_empty(), "{own}");
        }
        assert!(!Sources::iter().any(|name| name.contains("/target/")), "build output is included");
    }

    #[test]
    fn definition_of_all_libraries_is_valid() {
        let list = list().unwrap();
        let folder = tempfile::tempdir().unwrap();
        copy_sources(folder.path()).unwrap();
        let all: Vec<&Library> = list.library.iter().collect();
        let text = definition(&all, folder.path()).unwrap();
        let plan = roundtrip_bench::definition::parse(PRESET, &text, folder.path()).unwrap();
        assert!(plan.cases.len() > 100, "{}", plan.cases.len());
    }

    #[test]
    fn words_of_commands_are_found_from_the_definition() {
        let list = list().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let library = &list.library[0];
        fs::create_dir_all(library.folder_in(folder.path())).unwrap();
        fs::write(library.folder_in(folder.path()).join("pipe.py"), "").unwrap();
        let words = ["./target/release/it", "pipe.py", "python3", "--flag", ""];
        let slug = &library.slug;
        assert_eq!(
            words.map(|word| library.word(word, folder.path())),
            [
                format!("./{slug}/target/release/it"),
                format!("{slug}/pipe.py"),
                "python3".into(),
                "--flag".into(),
                String::new()
            ]
        );
    }

    #[test]
    fn library_is_built_again_after_a_change() {
        let list = list().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let library = &list.library[0];
        assert!(!library.is_built_in(folder.path()));
        fs::create_dir_all(library.folder_in(folder.path())).unwrap();
        fs::write(library.folder_in(folder.path()).join(BUILT), library.digest()).unwrap();
        assert!(library.is_built_in(folder.path()));
        fs::write(library.folder_in(folder.path()).join(BUILT), "of other sources").unwrap();
        assert!(!library.is_built_in(folder.path()));
    }
}
