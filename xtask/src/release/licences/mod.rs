//! Whose work besides ours is in a program, and under which licences: what lies beside it in its archive.
//!
//! - [`linked`]: which packages are linked into it for a target.  [`part`]: one of them, with the texts of its licences.
//! - [`web`]: the packages of the web interface, which the server carries.

mod linked;
mod part;
mod web;

use super::targets::{AGENT, SERVER, TARGETS};
use crate::tool::Tool;
use anyhow::{Context, Result, ensure};
use part::Part;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
pub(crate) use web::text as of_web;

/// What is linked into the program, but for what follows.
const FILE: &str = "THIRD-PARTY-LICENSES.txt";
/// The same of Rust's own library, as the compiler's makers write it.
const RUST_FILE: &str = "THIRD-PARTY-LICENSES-RUST.html";
/// Where it lies below the compiler's folder.
const RUST_LIBRARY: &str = "share/doc/rust/COPYRIGHT-library.html";

/// Writes the files of a program into a folder; returns them by the names that they have in the archive.
///
/// # Errors
/// Something has no licence that could be told.
pub(super) fn write(program: &str, target: &str, folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let path = folder.join(FILE);
    std::fs::write(&path, text(program, target)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    let sysroot =
        Tool::named("rustc")?.arguments(["--print", "sysroot"]).run_silently()?.successful()?.output;
    let rust = Path::new(sysroot.trim()).join(RUST_LIBRARY);
    ensure!(rust.is_file(), "{} does not exist: expected the licences of Rust's library", rust.display());
    Ok([(FILE.to_owned(), path), (RUST_FILE.to_owned(), rust)].into())
}

/// The text of the first of them.
///
/// # Errors
/// As [`write()`].
pub(super) fn text(program: &str, target: &str) -> Result<String> {
    let programs = programs_for(target);
    ensure!(programs.contains(&program), "{program} is not made for {target}");
    let packages: Vec<&str> = programs.iter().map(|program| package_of(program)).collect();
    let mut parts = Vec::new();
    for build in builds_for(target) {
        parts.extend(linked::parts(&packages, package_of(program), build)?);
    }
    if target.ends_with("-musl") {
        parts.push(Part::musl()?);
    }
    let mut text = page(program, target, parts);
    if program == SERVER {
        text.push_str(&web::text()?);
    }
    Ok(text)
}

/// What programs are built for if nobody says otherwise.
///
/// # Errors
/// The compiler does not say.
pub(super) fn host() -> Result<String> {
    let said = Tool::named("rustc")?.arguments(["-vV"]).run_silently()?.successful()?.output;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what it builds for")
}

/// The package that a program is of.
fn package_of(program: &str) -> &'static str {
    if program == SERVER { "roundtrip-server" } else { "roundtrip-agent" }
}

/// What is built together for a target, as features of one are those of the other then.
fn programs_for(target: &str) -> &'static [&'static str] {
    TARGETS.iter().find(|known| known.triple == target).map_or(&[AGENT, SERVER], |known| known.programs)
}

/// What cargo builds for: for macOS both halves of one file.
fn builds_for(target: &str) -> Vec<&str> {
    match TARGETS.iter().find(|known| known.triple == target) {
        Some(known) if known.updates.len() > 1 => known.updates.to_vec(),
        _ => vec![target],
    }
}

/// The parts in the order of names, each text once with all that it is the text of.
fn page(program: &str, target: &str, mut parts: Vec<Part>) -> String {
    parts.sort();
    parts.dedup();
    let mut page = format!(
        "Third-party licences\n\n\
         What is linked into {program} for {target} besides its own code and Rust's library, and under which licences. \
         {} packages; the texts follow.\n\n",
        parts.len()
    );
    // By the words of a text: how its lines are broken makes no other licence of it.
    let mut texts: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    // Writing to a string cannot fail, here and below.
    for part in &parts {
        let _ = writeln!(page, "{}: {}", part.title(), part.licence);
        for text in &part.texts {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            texts.entry(words).or_insert_with(|| (text.clone(), BTreeSet::new())).1.insert(part.title());
        }
    }
    let mut texts: Vec<(String, BTreeSet<String>)> = texts.into_values().collect();
    texts.sort_by(|(_, of_one), (_, of_other)| of_one.cmp(of_other));
    for (text, titles) in texts {
        let _ = write!(
            page,
            "\n{}\nOf {}:\n\n{}\n",
            "-".repeat(80),
            Vec::from_iter(titles).join(", "),
            text.trim()
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, texts: &[&str]) -> Part {
        Part {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn a_text_stands_once_with_all_that_it_is_of() {
        let parts = vec![
            part("b", &["Do as\nyou like.", "Do as you\nlike.", "Notice."]),
            part("a", &["Do as you like."]),
        ];
        let page = page("tool", "t", parts.clone());
        assert_eq!(page.matches("you like.").count(), 1, "{page}");
        assert!(page.contains("Of a 1.0.0, b 1.0.0:\n\nDo as"), "{page}");
        assert!(page.contains("Of b 1.0.0:\n\nNotice."), "{page}");
        assert!(page.contains("2 packages") && page.contains("\na 1.0.0: MIT\nb 1.0.0: MIT\n"), "{page}");
        let twice = [parts.clone(), parts].concat();
        assert_eq!(super::page("tool", "t", twice), page, "what two halves of a program share stands once");
    }

    #[test]
    fn a_program_that_is_not_made_for_a_target_is_refused() {
        let refused = text(SERVER, "x86_64-pc-windows-msvc").unwrap_err().to_string();
        assert_eq!(refused, "roundtrip-server is not made for x86_64-pc-windows-msvc");
    }

    #[test]
    fn what_is_built_for_a_target_is_that_of_the_release() {
        assert_eq!(builds_for("universal-apple-darwin"), ["aarch64-apple-darwin", "x86_64-apple-darwin"]);
        assert_eq!(builds_for("x86_64-pc-windows-msvc"), ["x86_64-pc-windows-msvc"]);
        assert_eq!(programs_for("x86_64-pc-windows-msvc"), [AGENT]);
        assert_eq!(programs_for("x86_64-unknown-linux-gnu"), [AGENT, SERVER]);
    }
}
