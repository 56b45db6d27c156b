//! The Grafana dashboard of results reads addresses and columns that exist. Grafana itself is not run.

use crate::support::{TestApp, factory};
use serde_json::Value;
use std::collections::BTreeSet;

const DASHBOARD: &str = include_str!("../../packaging/grafana/results.json");

/// Values of the dashboard's variables, as Grafana inserts them.
const VARIABLES: [(&str, &str); 4] = [
    ("${server}", ""),
    ("${project}", "libfoo"),
    ("${search:percentencode}", "same%2Dcpu%2064"),
    ("${series:csv}", "1,2"),
];

/// All queries: of panels, of variables and of annotations.
fn queries<'a>(part: &'a Value, found: &mut Vec<&'a Value>) {
    if part["url"].is_string() {
        found.push(part);
    }
    match part {
        Value::Object(members) => members.values().for_each(|member| queries(member, found)),
        Value::Array(entries) => entries.iter().for_each(|entry| queries(entry, found)),
        _ => {}
    }
}

fn text<'a>(part: &'a Value, name: &str) -> &'a str {
    part[name].as_str().unwrap_or_else(|| panic!("no {name} in {part}"))
}

fn columns(query: &Value) -> Vec<&str> {
    query["columns"].as_array().unwrap().iter().map(|column| text(column, "selector")).collect()
}

#[database_test]
async fn every_query_has_its_columns(app: TestApp) {
    let results = vec![factory::once("pipe", 64, 1_000), factory::once("fifo", 64, 2_000)];
    app.store_results(results).await;
    app.regression("").await;
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut found = Vec::new();
    queries(&dashboard, &mut found);
    let mut paths = BTreeSet::new();
    for query in found {
        let mut path = text(query, "url").to_owned();
        for (variable, value) in VARIABLES {
            path = path.replace(variable, value);
        }
        assert!(path.starts_with('/') && !path.contains('$'), "{path}");
        let answer = app.get(&path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        match text(query, "type") {
            "csv" => {
                let mut table = csv::Reader::from_reader(answer.body.as_slice());
                let header = table.headers().unwrap().clone();
                for column in columns(query) {
                    assert!(header.iter().any(|name| name == column), "{path} has no {column}: {header:?}");
                }
                assert!(table.records().count() > 0, "{path} has no rows");
            }
            "json" => {
                let answer: Value = answer.json();
                let rows = answer[text(query, "root_selector")].as_array().unwrap();
                assert!(!rows.is_empty(), "{path} has no rows");
                for (row, column) in
                    rows.iter().flat_map(|row| columns(query).into_iter().map(move |of| (row, of)))
                {
                    let value = row.pointer(&format!("/{}", column.replace('.', "/")));
                    let is_cell = value.is_some_and(|value| !value.is_array() && !value.is_object());
                    assert!(is_cell, "{path} has no value {column}: {row}");
                }
            }
            other => panic!("{path}: {other}"),
        }
        paths.insert(path);
    }
    assert_eq!(paths.len(), 4, "projects, series, lines and regressions: {paths:#?}");
}

#[test]
fn variables_and_columns_are_defined() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let variables: BTreeSet<_> = variables.iter().map(|variable| text(variable, "name")).collect();
    let used = DASHBOARD.split("${").skip(1).map(|rest| rest.split(['}', ':', '.']).next().unwrap());
    let used: BTreeSet<_> = used.filter(|name| !name.starts_with("__")).collect();
    assert_eq!(variables, used);
    let mut found = Vec::new();
    queries(&dashboard, &mut found);
    let mut computed_count = 0;
    for query in found {
        let columns: Vec<_> =
            query["columns"].as_array().unwrap().iter().map(|column| text(column, "text")).collect();
        for computed in query["computed_columns"].as_array().into_iter().flatten() {
            computed_count += 1;
            // Every other part is quoted.
            let names = text(computed, "selector").split('\'').step_by(2);
            let names = names.flat_map(|part| part.split([' ', '+'])).filter(|name| !name.is_empty());
            names.for_each(|name| assert!(columns.contains(&name), "{name} is not one of {columns:?}"));
        }
    }
    assert_eq!(computed_count, 1, "the names of the series");
}
