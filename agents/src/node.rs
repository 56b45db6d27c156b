//! The measured `node`s: `--node PATH`, `--node NAME=PATH`.

use crate::failure::Failure;
use roundtrip_bench::definition::{Plan, PlannedCase};
use roundtrip_bench::program::node::Node;
use roundtrip_wire::Slug;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

/// `[NAME=]PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedNode {
    name: Option<Slug>,
    path: PathBuf,
}

impl FromStr for NamedNode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) => (Some(Slug::parse(name).map_err(|error| error.to_string())?), path),
            None => (None, text),
        };
        if path.is_empty() {
            return Err("the path is empty: expected PATH or NAME=PATH".into());
        }
        Ok(Self { name, path: path.into() })
    }
}

/// The plan with each of these instead of the `node` in `PATH`; unchanged without any. A single one needs no
/// name, and continues the series of the `node` in `PATH`. `argument` is for errors.
pub(crate) fn measured_with(plan: Plan, named: &[NamedNode], argument: &str) -> crate::Result<Plan> {
    if named.is_empty() {
        return Ok(plan);
    }
    let mut names = BTreeSet::new();
    let mut nodes = Vec::new();
    for NamedNode { name, path } in named {
        // A bare name is searched in PATH; any other path is relative to our folder, not the program's.
        let path = if path.components().count() > 1 {
            std::path::absolute(path)
                .map_err(|error| Failure::Other(format!("cannot find {}: {error}", path.display())))?
        } else {
            path.clone()
        };
        let version = version(&path, argument)?;
        let variant = match (name, named.len()) {
            (Some(name), _) => Some(name.clone()),
            (None, 1) => None,
            (None, _) => Some(Slug::from_name(&version)),
        };
        if let Some(name) = variant.as_ref().filter(|name| !names.insert((*name).clone())) {
            return Err(Failure::Usage(format!(
                "{argument}: duplicate name {name}. Name each, for example {argument} old={}",
                path.display()
            )));
        }
        nodes.push(Node { variant, path });
    }
    Ok(plan.with_nodes(&nodes))
}

pub(crate) fn measured_alone(plan: &Plan, path: &str, argument: &str) -> crate::Result<Vec<PlannedCase>> {
    let named = NamedNode { name: None, path: path.into() };
    let cases = plan.cases.iter().filter(|case| case.uses_node()).cloned().collect();
    Ok(measured_with(Plan { cases, ..plan.clone() }, &[named], argument)?.cases)
}

/// The output of `--version`, such as `v22.11.0`.
fn version(path: &Path, argument: &str) -> crate::Result<String> {
    let refused = |why: &str| Failure::Usage(format!("{argument} {}: {why}", path.display()));
    let output = Command::new(path).arg("--version").output().map_err(|error| refused(&error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || !text.starts_with('v') {
        return Err(refused("not a `node`: unexpected output of --version"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_bench::definition;

    fn named(text: &str) -> NamedNode {
        text.parse().unwrap()
    }

    #[test]
    fn parses_name_and_path() {
        let with_name = named("lts=/opt/node/bin/node");
        assert_eq!(with_name.name, Some(Slug::from_name("lts")));
        assert_eq!(with_name.path, Path::new("/opt/node/bin/node"));
        assert_eq!(named("node").name, None);
        for wrong in ["lts=", "a name=node"] {
            assert!(wrong.parse::<NamedNode>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn rejects_programs_that_are_not_node() {
        let plan = definition::preset("node-framing").unwrap();
        let error = measured_with(plan, &[named("./no-such-node")], "--node").unwrap_err().to_string();
        assert!(error.contains("no-such-node"), "{error}");
    }
}
