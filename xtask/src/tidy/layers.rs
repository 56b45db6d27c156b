//! Which folder may use what: platform choices, SQL and the chart library each have one home.

use super::{Finding, Source};

const PLATFORM_HOMES: &[&str] = &[
    "agents/src/platform/",
    "benches/src/sys/",
    "benches/src/transport/mod.rs",
    // Which of the suite's own tests a system can run.
    "agents/tests/it/main.rs",
    "benches/tests/it/main.rs",
];
const SQL_HOME: &str = "crates/storage/src/";
const CHART_HOME: &str = "web/src/components/chart/";

/// A choice by operating system is made where a capability is defined, and nowhere else.
pub(super) fn platform_choice_in_its_places(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["rs"]) || PLATFORM_HOMES.iter().any(|home| source.path.starts_with(home)) {
        return Vec::new();
    }
    let needle = concat!("target", "_os");
    source.lines_where(
        |line| line.contains(needle) && line.contains("cfg"),
        &format!("chooses by operating system: expected only in {}", PLATFORM_HOMES.join(", ")),
    )
}

/// SQL lives beside SQL. Tests may ask the database whatever they like.
pub(super) fn sql_in_the_storage_crate(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["rs"]) || source.path.starts_with(SQL_HOME) || source.is_test() {
        return Vec::new();
    }
    source.without_own_tests().lines_where(holds_sql, &format!("holds SQL: expected only in {SQL_HOME}"))
}

/// The chart library can be replaced as long as one folder knows it.
pub(super) fn recharts_in_the_chart_folder(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["ts", "tsx"]) || source.path.starts_with(CHART_HOME) {
        return Vec::new();
    }
    let imports = |quote: char| format!("{quote}recharts");
    let (single, double) = (imports('\''), imports('"'));
    source.lines_where(
        |line| line.contains(&single) || line.contains(&double),
        &format!("imports Recharts: expected only in {CHART_HOME}"),
    )
}

fn holds_sql(line: &str) -> bool {
    // In quotes it is where events of statements come from.
    let names = |call: &str| {
        let call = format!("sqlx::{call}");
        line.replace(&format!("\"{call}\""), "").contains(&call)
    };
    let calls = ["query", "raw_sql"].into_iter().any(names);
    let line = line.to_ascii_lowercase();
    let starts = ["select", "insert into", "delete from"].map(|start| format!("{start} "));
    let begins =
        |start: &String| line.trim_start().starts_with(start) || line.contains(&format!("\"{start}"));
    calls || starts.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rule: super::super::Rule, path: &str, text: &str) -> Vec<usize> {
        rule(&Source { path, text }).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_platform_choice_outside_its_homes_is_found() {
        let text = format!("//! Doc.\n#[cfg({} = \"linux\")]\nfn f() {{}}\n", concat!("target", "_os"));
        let rule = platform_choice_in_its_places;
        assert_eq!(lines(rule, "server/src/main.rs", &text), [2]);
        assert_eq!(lines(rule, "benches/src/transport/pipe.rs", &text), [2]);
        assert!(lines(rule, "benches/src/sys/wait.rs", &text).is_empty());
        assert!(lines(rule, "benches/src/transport/mod.rs", &text).is_empty());
    }

    #[test]
    fn sql_outside_its_folder_is_found_but_not_in_tests() {
        let call = "let row = sqlx::query(text);\n";
        let text = "let text = \"SELECT 1\";\nlet text = r#\"\n    insert into run\n";
        let rule = sql_in_the_storage_crate;
        assert_eq!(lines(rule, "server/src/routes/runs.rs", call), [1]);
        assert_eq!(lines(rule, "server/src/routes/runs.rs", text), [1, 3]);
        assert!(lines(rule, "crates/storage/src/runs.rs", call).is_empty());
        assert!(lines(rule, "server/tests/it/runs.rs", call).is_empty());
        let own_tests = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{call}}}\n");
        assert!(lines(rule, "server/src/app.rs", &own_tests).is_empty());
    }

    #[test]
    fn recharts_outside_the_chart_folder_is_found() {
        let text = "import { Line } from \"recharts\";\nimport x from 'recharts/types';\n";
        let rule = recharts_in_the_chart_folder;
        assert_eq!(lines(rule, "web/src/features/run/RunPage.tsx", text), [1, 2]);
        assert!(lines(rule, "web/src/components/chart/Line.tsx", text).is_empty());
    }
}
