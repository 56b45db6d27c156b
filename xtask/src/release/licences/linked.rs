//! Which packages are linked into a program: what `cargo tree` says, of those that `cargo metadata` knows.

use super::part::Part;
use crate::{tool::Tool, workspace};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A name and a version.
type Id = (String, String);

/// The packages of others that are linked into one of these, which are built together for a target.
///
/// # Errors
/// Cargo fails, or a package has no licence that could be told.
pub(super) fn parts(packages: &[&str], package: &str, target: &str) -> Result<Vec<Part>> {
    let mut tree =
        Tool::cargo().folder(workspace::root()).arguments(["tree", "--locked", "--target", target]);
    tree = tree.arguments(["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", "{p}"]);
    for package in packages {
        tree = tree.arguments(["--package", package]);
    }
    let tree = tree.run_silently()?.successful()?.output;
    let metadata = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
    let metadata = Tool::cargo().folder(workspace::root()).arguments(metadata);
    let metadata: Metadata = serde_json::from_str(&metadata.run_silently()?.successful()?.output)
        .context("what cargo metadata says is not understood")?;
    let linked = below(&tree, package)?;
    let of_others = metadata.packages.into_iter().filter(|package| package.source.is_some());
    of_others.filter(|package| linked.contains(&package.id())).map(|package| package.part()).collect()
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    license_file: Option<PathBuf>,
    authors: Vec<String>,
    manifest_path: PathBuf,
    /// Where it is from; absent for what is ours.
    source: Option<String>,
}

impl Package {
    fn id(&self) -> Id {
        (self.name.clone(), self.version.clone())
    }

    fn part(self) -> Result<Part> {
        let folder = self.manifest_path.parent().unwrap_or(&self.manifest_path);
        let declared = self.license_file.as_deref();
        Part::read(&self.name, &self.version, self.license.as_deref(), declared, &self.authors, folder)
    }
}

/// All that a package depends on, itself included, of a tree whose lines begin with their depth. Of what stands in it twice,
/// only the first has what is below it.
fn below(tree: &str, package: &str) -> Result<BTreeSet<Id>> {
    let mut edges: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    let mut path: Vec<Id> = Vec::new();
    for line in tree.lines().filter(|line| !line.trim().is_empty()) {
        let (depth, id) =
            parse(line).with_context(|| format!("cargo tree says `{line}`, which is not understood"))?;
        path.truncate(depth);
        if let Some(above) = path.last() {
            edges.entry(above.clone()).or_default().insert(id.clone());
        }
        path.push(id);
    }
    let mut found = BTreeSet::new();
    let mut open: Vec<Id> = edges.keys().filter(|(name, _)| name == package).cloned().collect();
    while let Some(id) = open.pop() {
        open.extend(edges.get(&id).into_iter().flatten().filter(|next| !found.contains(*next)).cloned());
        found.insert(id);
    }
    Ok(found)
}

/// `12serde v1.0.0 (/a/path) (*)`.
fn parse(line: &str) -> Option<(usize, Id)> {
    let digits = line.find(|character: char| !character.is_ascii_digit())?;
    let (depth, rest) = line.split_at(digits);
    let mut words = rest.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    Some((depth.parse().ok()?, (name.to_owned(), version.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "0agent v0.1.0 (/w/agent)\n1json v1.0.0\n2itoa v1.0.0\n1wire v0.1.0 (/w/wire)\n2json v1.0.0 (*)\n\n\
        0server v0.1.0 (/w/server)\n1wire v0.1.0 (/w/wire) (*)\n1axum v0.8.0\n2itoa v2.0.0\n";

    #[test]
    fn a_program_has_what_it_depends_on_and_nothing_of_the_other() {
        let names = |package| {
            let found = below(TREE, package).unwrap();
            found.into_iter().map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>()
        };
        assert_eq!(names("agent"), ["agent 0.1.0", "itoa 1.0.0", "json 1.0.0", "wire 0.1.0"]);
        // What stands below `wire` was told of the other one.
        let of_server =
            ["axum 0.8.0", "itoa 1.0.0", "itoa 2.0.0", "json 1.0.0", "server 0.1.0", "wire 0.1.0"];
        assert_eq!(names("server"), of_server);
    }

    #[test]
    fn a_line_that_is_not_understood_is_told() {
        let error = below("0agent\n", "agent").unwrap_err().to_string();
        assert!(error.contains("`0agent`"), "{error}");
    }
}
