//! Checks the rules of a distributed PostgreSQL for migrations and queries, without running one. They are the limits
//! of Citus: see `docs/explanation/scaling.md`.

use roundtrip_storage::distribution::{DISTRIBUTED, REFERENCE};
use sqlparser::ast::{
    Assignment, AssignmentTarget, BinaryOperator, Expr, Insert, LockClause, ObjectName, OnConflictAction,
    OnInsert, Query, Statement, TableFactor, Visit, Visitor,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlx::{AssertSqlSafe, PgPool};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

/// The texts of all compile-time checked queries.
pub(crate) fn queries() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.sqlx");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let text = |file: Vec<u8>| {
        let described: serde_json::Value = serde_json::from_slice(&file).unwrap();
        described["query"].as_str().unwrap().to_owned()
    };
    files.map(text).collect()
}

/// The rule violations in one query.
fn broken(query: &str) -> Vec<String> {
    let statements =
        Parser::parse_sql(&PostgreSqlDialect {}, query).unwrap_or_else(|error| panic!("{error}: {query}"));
    let mut seen = Seen::default();
    let _ = statements.visit(&mut seen);
    seen.broken()
}

/// The parts of a query that the rules concern.
#[derive(Default)]
struct Seen {
    /// Distributed tables by alias.
    tables: BTreeMap<String, String>,
    /// Aliases whose `machine_id` is a parameter. The query then runs on the one node with this machine, without
    /// restrictions. Queries across nodes have many restrictions.
    of_one_machine: BTreeSet<String>,
    /// Pairs of aliases with equal machines.
    equal: Vec<(String, String)>,
    locks: bool,
    broken: Vec<String>,
}

impl Seen {
    fn broken(self) -> Vec<String> {
        let (mut broken, mut of_one_machine) = (self.broken, self.of_one_machine);
        for _ in &self.equal {
            for (one, other) in &self.equal {
                if of_one_machine.contains(one) {
                    of_one_machine.insert(other.clone());
                }
            }
        }
        for (name, table) in &self.tables {
            if !of_one_machine.contains(name) {
                broken.push(format!(
                    "{table} (as {name}) is queried on many machines: machine_id is not a parameter"
                ));
            }
        }
        if self.locks && !self.tables.is_empty() {
            broken.push("rows of a distributed table are locked by `for update`".into());
        }
        broken
    }

    fn table(&mut self, table: &ObjectName, alias: Option<String>) {
        let table = table.to_string();
        if DISTRIBUTED.contains(&table.as_str()) {
            self.tables.insert(alias.unwrap_or_else(|| table.clone()), table);
        }
    }

    fn insert(&mut self, insert: &Insert) {
        let table = insert.table.to_string();
        if let Some(OnInsert::OnConflict(on_conflict)) = &insert.on
            && let OnConflictAction::DoUpdate(update) = &on_conflict.action
            && update.assignments.iter().any(|assignment| assignment.value.to_string().contains("now()"))
        {
            self.broken.push(format!("the time of a conflict in {table} is the database's: pass it"));
        }
        if DISTRIBUTED.contains(&table.as_str()) {
            if !insert.columns.iter().any(|column| column.to_string() == "machine_id") {
                self.broken.push(format!("rows of {table} are stored without their machine"));
            }
            self.of_one_machine.insert(table);
        }
    }

    fn update(&mut self, assignments: &[Assignment]) {
        let is_machine = |assignment: &Assignment| matches!(&assignment.target, AssignmentTarget::ColumnName(name) if name.to_string().ends_with("machine_id"));
        if assignments.iter().any(is_machine) {
            self.broken.push("machine_id, by which rows are distributed, is changed".into());
        }
    }
}

impl Visitor for Seen {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        match statement {
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update { assignments, .. } => self.update(assignments),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.locks |= query.locks.iter().any(|_: &LockClause| true);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, .. } = factor {
            self.table(name, alias.as_ref().map(|alias| alias.name.value.clone()));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = expression {
            let (left, right) = (left.to_string(), right.to_string());
            for (side, other) in [(&left, &right), (&right, &left)] {
                let name = match side.rsplit_once('.') {
                    Some((name, "machine_id")) => name,
                    // An unqualified column belongs to the only table.
                    None if side == "machine_id" => self.tables.keys().next().map_or("", String::as_str),
                    _ => continue,
                };
                match other.strip_suffix(".machine_id") {
                    Some(other) => self.equal.push((name.to_owned(), other.to_owned())),
                    None if other.starts_with('$') => _ = self.of_one_machine.insert(name.to_owned()),
                    None => {}
                }
            }
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn distributed_queries_name_one_machine() {
    let queries = queries();
    let of_distributed = queries.iter().filter(|query| query.contains("point")).count();
    assert!(
        queries.len() > 40 && of_distributed > 5,
        "{} queries, {of_distributed} of points",
        queries.len()
    );
    let broken: Vec<String> = queries
        .iter()
        .flat_map(|query| broken(query).into_iter().map(move |rule| format!("{rule}:\n{query}")))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

#[test]
fn checker_finds_unsupported_queries() {
    for (query, rule) in [
        ("select * from point where series_id = $1", "on many machines"),
        ("select * from point p join run on run.run_id = p.run_id where p.machine_id = $1", ""),
        ("select * from run join point on point.run_id = run.run_id", "on many machines"),
        ("select * from run join point on point.machine_id = run.machine_id", "on many machines"),
        ("select * from run join point on point.machine_id = run.machine_id where run.machine_id = $1", ""),
        ("select * from point where machine_id = any($1)", "on many machines"),
        (
            "select * from point join point_histogram h on h.machine_id = point.machine_id where point.machine_id = $1",
            "",
        ),
        ("select * from point where machine_id = $1 for update", "locked"),
        ("select * from run where run_id = $1 for update", ""),
        ("insert into summary (series_id) values ($1)", "without their machine"),
        ("update point set machine_id = $1 where machine_id = $2", "is changed"),
        ("delete from point_histogram where run_id = $1", "on many machines"),
        (
            "insert into machine (slug) values ($1) on conflict (slug) do update set created_at = now()",
            "the database's",
        ),
    ] {
        let broken = broken(query);
        match rule {
            "" => assert!(broken.is_empty(), "{query}: {broken:?}"),
            rule => assert!(broken.iter().any(|found| found.contains(rule)), "{query}: {broken:?}"),
        }
    }
}

#[database_test]
async fn tables_can_be_distributed_in_order(pool: PgPool) {
    let references: Vec<(String, String)> = sqlx::query_as(
        "select conrelid::regclass::text, confrelid::regclass::text from pg_constraint
         where contype = 'f' and connamespace = 'public'::regnamespace",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let place = |table: &str| REFERENCE.iter().position(|reference| *reference == table);
    for (from, to) in references {
        assert!(
            !DISTRIBUTED.contains(&from.as_str()) && !DISTRIBUTED.contains(&to.as_str()),
            "{from} -> {to}"
        );
        if let Some(from_place) = place(&from) {
            // A table on every node cannot reference one that is only on the coordinator.
            assert!(place(&to).is_some_and(|to_place| to_place < from_place), "{from} -> {to}");
        }
    }
    for table in DISTRIBUTED.iter().chain(&REFERENCE) {
        let query = format!("select count(*) from {table}");
        sqlx::query(AssertSqlSafe(query)).execute(&pool).await.unwrap();
    }
}
