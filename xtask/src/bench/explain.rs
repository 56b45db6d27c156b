//! `bench explain`: how often `roundtrip explain` names the right cause of a seeded defect (`benches/defects/`), and how often it
//! explains a program compared with itself.

use super::Options;
use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::tool::{self, Tool};
use crate::{server, workspace};
use anyhow::{Context, Result, ensure};
use fs_err as fs;
use roundtrip_budget::{BarIs, Peer, Row};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const FOLDER: &str = "benches/defects";
/// The last argument of a program without a defect.
const BASE: &str = "none";
/// The right cause must be first in at least this share of the defects, and among the first few in all.
const FIRST_SHARE_MIN: f64 = 20.0 / 24.0;
const FEW: usize = 3;
const CASE_S_MAX: f64 = 30.0;
/// Comparisons of a program with itself, and the share that must explain nothing.
const SAME: u32 = 100;
const QUICK_SAME: u32 = 10;
const NOTHING_SHARE_MIN: f64 = 0.95;
/// As `roundtrip explain` limits its own.
const AB_BUDGET: &str = "15s";
const C: [&str; 2] = ["courier", "ring"];
const C_OPTIONS: &str = "-O2 -g -fno-omit-frame-pointer -D_GNU_SOURCE -pthread";
const RUST: &str = "relay";
const RUST_OPTIONS: &str = "--edition 2024 -O -g -C force-frame-pointers=yes";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    defect: Vec<Defect>,
}

/// A defect of a program, and the case that shows it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Defect {
    name: String,
    /// The program and its arguments without the last, which is the defect's name or `none`.
    program: String,
    scenario: Option<String>,
    bytes: Option<u64>,
    placement: Option<String>,
    operations: Option<u64>,
    batch: Option<u64>,
    /// Messages per operation.
    messages: Option<u64>,
    /// The rules that name the right cause.
    accept: Vec<String>,
    /// Part of the function that a finding of the rule `function` must name.
    function: Option<String>,
}

/// The answer of a verb of the agent, without the parts that are not checked.
#[derive(Deserialize)]
struct Answer<C> {
    cases: Vec<C>,
}

/// A case of `roundtrip explain`.
#[derive(Deserialize)]
struct Explained {
    verdict: String,
    findings: Vec<Finding>,
}

#[derive(Clone, Deserialize)]
struct Finding {
    rule: String,
    text: String,
    function: Option<String>,
}

/// A case of `roundtrip ab`.
#[derive(Deserialize)]
struct ComparedCase {
    usage: Vec<serde_json::Value>,
}

pub(super) fn measure(options: &Options) -> Result<ExitCode> {
    let defects = defects()?;
    let parts: Vec<&str> =
        ["defects", "same"].into_iter().chain(defects.iter().map(|defect| &*defect.name)).collect();
    let only = options.part_of(&parts)?;
    ensure!(tool::missing("cc rustc python3 node").is_none(), "cc, rustc, python3 and node are needed");
    workspace::claim_target_folder()?;
    let built = Step::quietly("programs", |step| programs::build(step, &[programs::AGENT], Profile::Dev))?;
    let folder = server::disk_folder()?;
    Step::quietly("defects", |step| compile(folder.path(), step))?;
    let bench = Bench { agent: built.program("roundtrip")?, folder: folder.path() };
    let mut rows = Vec::new();
    if only != Some("same") {
        let is_selected = |defect: &&Defect| only.is_none_or(|only| only == "defects" || only == defect.name);
        let selected: Vec<&Defect> = defects.iter().filter(is_selected).collect();
        rows.extend(Step::quietly("defects", |step| bench.explain_all(&selected, step))?);
    }
    if only.is_none_or(|only| only == "same") {
        let count = options.same.unwrap_or(if options.quick { QUICK_SAME } else { SAME });
        rows.push(Step::quietly("same", |step| bench.explain_same(&defects, count, step))?);
    }
    options.print(&rows)
}

fn defects() -> Result<Vec<Defect>> {
    let path = format!("{FOLDER}/defects.toml");
    let table: Table = toml::from_str(&workspace::read(&path)?).with_context(|| path)?;
    Ok(table.defect)
}

/// Compiles the programs in C and Rust.
fn compile(folder: &Path, step: &Step) -> Result<()> {
    let source = |name: String| workspace::root().join(FOLDER).join(name);
    for name in C {
        let compiler = Tool::named("cc")?.words(C_OPTIONS).arguments(["-o".as_ref(), &*folder.join(name)]);
        compiler.arguments([source(format!("{name}.c"))]).succeed(step)?;
    }
    let compiler = Tool::named("rustc")?.words(RUST_OPTIONS).arguments(["-o".as_ref(), &*folder.join(RUST)]);
    compiler.arguments([source(format!("{RUST}.rs"))]).succeed(step).map(drop)
}

struct Bench<'a> {
    agent: PathBuf,
    /// Has the compiled programs.
    folder: &'a Path,
}

impl Bench<'_> {
    fn explain_all(&self, defects: &[&Defect], step: &Step) -> Result<[Row; 3]> {
        let (mut first, mut few, mut with_usage) = (0, 0, 0_u32);
        let (mut slowest, mut of_ab) = (Duration::ZERO, Duration::ZERO);
        for defect in defects {
            step.message(&defect.name);
            let (compared, ab_took) = self.compare(defect)?;
            with_usage += u32::from(!compared.usage.is_empty());
            let (explained, took) = self.explain(defect, &defect.name, 1)?;
            if took > slowest {
                (slowest, of_ab) = (took, ab_took);
            }
            let rank = defect.rank(&explained.findings);
            first += u64::from(rank == Some(1));
            few += u64::from(rank.is_some_and(|rank| rank <= FEW));
            screen::print(&defect.line(rank, took, &explained));
        }
        let all = defects.len();
        let usage = Peer {
            name: format!("roundtrip ab names a changed resource ({with_usage})"),
            value: f64::from(with_usage),
        };
        let row = |title, count, least| {
            Row::new(title, count, "defects", usage.clone(), BarIs::ValueAtLeast, least)
        };
        Ok([
            row(format!("causes of {all} defects named first"), first, (FIRST_SHARE_MIN * all as f64).ceil()),
            row(format!("causes of {all} defects among the first {FEW}"), few, all as f64),
            super::timed(
                "slowest explanation".into(),
                slowest.as_secs_f64(),
                format!("roundtrip ab of the same case ({:.1} s)", of_ab.as_secs_f64()),
                of_ab.as_secs_f64(),
                CASE_S_MAX,
            ),
        ])
    }

    /// Explains the bases of all defects in turn, compared with themselves.
    fn explain_same(&self, defects: &[Defect], count: u32, step: &Step) -> Result<Row> {
        let mut nothing = 0;
        for (seed, defect) in (1..=count).zip(defects.iter().cycle()) {
            step.message(&format!("{seed} of {count}: {}", defect.name));
            let (explained, took) = self.explain(defect, BASE, seed)?;
            match explained.findings.is_empty() {
                true => nothing += 1,
                false => screen::print(&defect.line(None, took, &explained)),
            }
        }
        let title = format!("of {count} comparisons with itself, explain nothing");
        let all = f64::from(count);
        let peer = Peer { name: "all".into(), value: all };
        Ok(Row::new(title, nothing, "comparisons", peer, BarIs::ValueAtLeast, NOTHING_SHARE_MIN * all))
    }

    fn compare(&self, defect: &Defect) -> Result<(ComparedCase, Duration)> {
        let [base, head] = self.commands(defect, &defect.name)?;
        let (answer, took): (Answer<ComparedCase>, _) =
            self.run(defect, &["ab", "--budget", AB_BUDGET, "--base", &base, "--head", &head])?;
        Ok((answer.only_case()?, took))
    }

    fn explain(&self, defect: &Defect, head: &str, seed: u32) -> Result<(Explained, Duration)> {
        let [base, head] = self.commands(defect, head)?;
        let (answer, took): (Answer<Explained>, _) = self
            .run(defect, &["explain", "--of", "command", "--seed", &seed.to_string(), "--", &base, &head])?;
        Ok((answer.only_case()?, took))
    }

    /// Runs a verb of the agent on a case.
    fn run<T: DeserializeOwned>(&self, defect: &Defect, words: &[&str]) -> Result<(T, Duration)> {
        let definition = self.folder.join("case.toml");
        fs::write(&definition, defect.definition())?;
        let (verb, rest) = words.split_first().context("a verb")?;
        let tool = Tool::at(&self.agent).arguments([verb, "--format", "json", "--preset"]);
        let began = Instant::now();
        let text = tool.arguments([&definition]).arguments(rest).folder(self.folder).output();
        let text = text.with_context(|| format!("the defect {}", defect.name))?;
        let answer =
            serde_json::from_str(&text).with_context(|| format!("roundtrip {verb} printed:\n{text}"))?;
        Ok((answer, began.elapsed()))
    }

    /// The commands of the base and of the program with this defect.
    fn commands(&self, defect: &Defect, head: &str) -> Result<[String; 2]> {
        let (program, words) = defect.program.split_once(' ').unwrap_or((&defect.program, ""));
        let source = workspace::root().join(FOLDER).join(program);
        let start = match Path::new(program).extension().and_then(OsStr::to_str) {
            Some("py") => vec![PathBuf::from("python3"), source],
            Some("js") => vec![PathBuf::from("node"), source],
            _ => vec![self.folder.join(program)],
        };
        let quoted: Vec<String> = start.iter().map(|path| format!("'{}'", path.display())).collect();
        Ok([BASE, head].map(|last| format!("{} {words} {last}", quoted.join(" "))))
    }
}

impl<C> Answer<C> {
    fn only_case(mut self) -> Result<C> {
        let case = self.cases.pop();
        case.filter(|_| self.cases.is_empty()).context("expected one case in the answer")
    }
}

impl Defect {
    /// The place of the first finding with the right cause, from 1.
    fn rank(&self, findings: &[Finding]) -> Option<usize> {
        findings.iter().position(|finding| self.accepts(finding)).map(|place| place + 1)
    }

    fn accepts(&self, Finding { rule, function, .. }: &Finding) -> bool {
        let wanted = self.function.as_deref().filter(|_| rule == "function");
        let named = function.as_deref().unwrap_or_default().to_lowercase();
        self.accept.contains(rule) && wanted.is_none_or(|wanted| named.contains(wanted))
    }

    /// A definition of the case. `--base` and `--head` replace the command.
    fn definition(&self) -> String {
        let scenario = self.scenario.as_deref().unwrap_or("roundtrip");
        let placement = self.placement.as_deref().unwrap_or("same-cpu");
        let (bytes, batch) = (self.bytes.unwrap_or(64), self.batch.unwrap_or(1));
        let operations = self.operations.unwrap_or(300);
        let messages =
            self.messages.map_or(String::new(), |count| format!("messages_per_operation = {count}\n"));
        let warmup = (operations / 10).max(2);
        format!(
            r#"about = "A seeded defect."
deadline_seconds = 20

[[program]]
slug = "courier"
title = "Courier"
family = "socket"
semantics = "A program with a seeded defect."
command = ["courier"]

[[case]]
scenario = "{scenario}"
transports = ["courier"]
message_bytes = [{bytes}]
modes = ["2proc"]
placements = ["{placement}"]
operations = {operations}
warmup = {warmup}
batch = {batch}
{messages}repetitions = 1
"#
        )
    }

    /// The result in a line, and findings before the right one.
    fn line(&self, rank: Option<usize>, took: Duration, explained: &Explained) -> String {
        let place = rank.map_or("-".into(), |rank| rank.to_string());
        let accept = self.accept.join(" or ");
        let mut line = format!(
            "{:20} {place:>2} {:>7}  {}, {accept}",
            self.name,
            screen::elapsed(took),
            explained.verdict
        );
        for Finding { rule, text, .. } in explained.findings.iter().take(rank.map_or(FEW, |rank| rank - 1)) {
            line += &format!("\n{:32}{rule}: {text}", "");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_defect_of_the_table_is_in_its_program() {
        let defects = defects().unwrap();
        assert_eq!(defects.iter().map(|defect| &defect.name).collect::<BTreeSet<_>>().len(), 24);
        for Defect { name, program, .. } in &defects {
            let file = program.split(' ').next().unwrap();
            let file = match file {
                RUST => format!("{file}.rs"),
                _ if C.contains(&file) => format!("{file}.c"),
                _ => file.to_owned(),
            };
            let source = workspace::read(&format!("{FOLDER}/{file}")).unwrap();
            assert!(
                ["\"", "'"].iter().any(|quote| source.contains(&format!("{quote}{name}{quote}"))),
                "{name}"
            );
        }
    }

    #[test]
    fn programs_in_c_compile() {
        if std::env::consts::OS != "linux" {
            return screen::note("not tested: the programs are for Linux");
        }
        for name in C {
            let compiler = Tool::named("cc").unwrap().words(C_OPTIONS).words("-fsyntax-only -Wall -Werror");
            compiler
                .arguments([format!("{name}.c")])
                .folder(&workspace::root().join(FOLDER))
                .output()
                .unwrap();
        }
    }

    #[test]
    fn finding_of_a_function_must_name_the_right_one() {
        let defects = defects().unwrap();
        let defect = defects.iter().find(|defect| defect.name == "busy-loop").unwrap();
        let finding = |rule: &str, function: Option<&str>| Finding {
            rule: rule.into(),
            text: String::new(),
            function: function.map(str::to_owned),
        };
        let findings = [finding("extra-call", None), finding("function", Some("read_all"))];
        assert_eq!(defect.rank(&findings), None);
        let right = finding("function", Some("courier::spin_before_read"));
        assert_eq!(defect.rank(&[&findings[..], &[right]].concat()), Some(3));
        assert_eq!(defect.rank(&[finding("busy-wait", None)]), Some(1));
    }
}
