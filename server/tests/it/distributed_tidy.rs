//! Checks the rules of a distributed PostgreSQL for migrations and queries, without running one. They are the limits
//! of Citus: see `docs/explanation/scaling.md`.

use crate::support::TestApp;
use roundtrip_storage::distribution::DISTRIBUTED;
use sqlparser::ast::{
    Assignment, AssignmentTarget, BinaryOperator, Expr, Insert, LockClause, ObjectName, OnConflictAction,
    OnInsert, Query, SetExpr, Statement, TableFactor, TableWithJoins, Visit, Visitor, visit_expressions,
    visit_relations,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
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
    /// Names of common table expressions.
    ctes: BTreeSet<String>,
    /// Subqueries of tables that are not distributed, with the aliases from outside that they refer to.
    correlated: Vec<(String, BTreeSet<String>)>,
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
        for (table, outer) in self.correlated {
            if let Some(name) = outer.iter().find(|name| self.tables.contains_key(*name)) {
                broken.push(format!("a subquery of {table} refers to rows of the distributed table {name}"));
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

    /// The extension joins a distributed table with others by copying those to the node, as a whole. Joins with what
    /// was selected from the distributed table are on the coordinator.
    fn joins(&mut self, from: &[TableWithJoins]) {
        let (distributed, others): (BTreeSet<String>, BTreeSet<String>) =
            tables_of(from).into_iter().partition(|table| DISTRIBUTED.contains(&table.as_str()));
        let others: Vec<&String> = others.iter().filter(|table| !self.ctes.contains(*table)).collect();
        if !distributed.is_empty() && !others.is_empty() {
            self.broken.push(format!(
                "{others:?} is joined with the distributed {distributed:?}: select from that first, in a materialized \
                 common table expression"
            ));
        }
    }

    fn subquery(&mut self, query: &Query) {
        let mut tables = BTreeSet::new();
        let _ = visit_relations(query, |table| {
            tables.insert(table.to_string());
            ControlFlow::<()>::Continue(())
        });
        let mut outer = BTreeSet::new();
        let _ = visit_expressions(query, |expression| {
            if let Expr::CompoundIdentifier(parts) = expression
                && !tables.contains(&parts[0].value)
            {
                outer.insert(parts[0].value.clone());
            }
            ControlFlow::<()>::Continue(())
        });
        if let Some(table) = tables.into_iter().find(|table| !DISTRIBUTED.contains(&table.as_str())) {
            self.correlated.push((table, outer));
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

/// The tables that are joined, also in subqueries of `from`.
fn tables_of(from: &[TableWithJoins]) -> Vec<String> {
    let factors = from.iter().flat_map(|table| {
        std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation))
    });
    let tables = factors.flat_map(|factor| match factor {
        TableFactor::Table { name, args: None, .. } => vec![name.to_string()],
        TableFactor::Derived { subquery, .. } => match &*subquery.body {
            SetExpr::Select(select) => tables_of(&select.from),
            _ => Vec::new(),
        },
        TableFactor::NestedJoin { table_with_joins, .. } => tables_of(std::slice::from_ref(table_with_joins)),
        _ => Vec::new(),
    });
    tables.collect()
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
        self.ctes.extend(
            query.with.iter().flat_map(|with| &with.cte_tables).map(|cte| cte.alias.name.value.clone()),
        );
        if let SetExpr::Select(select) = &*query.body {
            self.joins(&select.from);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, .. } = factor {
            self.table(name, alias.as_ref().map(|alias| alias.name.value.clone()));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if let Expr::Exists { subquery, .. } | Expr::InSubquery { subquery, .. } | Expr::Subquery(subquery) =
            expression
        {
            self.subquery(subquery);
        }
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
        ("select * from point p join run on run.run_id = p.run_id where p.machine_id = $1", "is joined"),
        ("select * from run join point on point.run_id = run.run_id", "on many machines"),
        ("select * from run join point on point.machine_id = run.machine_id", "on many machines"),
        (
            "select * from run join (select * from point where machine_id = $1) p on p.run_id = run.run_id",
            "is joined",
        ),
        (
            "with p as materialized (select * from point where machine_id = $1)
             select * from p join run on run.run_id = p.run_id",
            "",
        ),
        (
            "select * from point where machine_id = $1 and exists (select from run where run.run_id = point.run_id)",
            "a subquery of run refers",
        ),
        (
            "select * from point where machine_id = $1 and run_id in (select run_id from run where branch = $2)",
            "",
        ),
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

/// Plans every statement. PostgreSQL rejects what a distributed table does not support when it plans, so this covers all
/// statements in a few seconds.
#[database_test]
async fn every_statement_runs_on_one_node(app: TestApp) {
    let mut connection = app.pool.acquire().await.unwrap();
    let mut wrong = Vec::new();
    for query in queries() {
        let mut transaction = connection.begin().await.unwrap();
        match plan(&mut transaction, &query).await {
            Ok(plan) => {
                let tasks = |line: &String| line.trim().strip_prefix("Task Count: ")?.parse::<u32>().ok();
                if plan.iter().filter_map(tasks).any(|count| count > 1) {
                    wrong.push(format!("on several nodes:\n{query}"));
                }
            }
            Err(error) => wrong.push(format!("{error}:\n{query}")),
        }
        transaction.rollback().await.unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The plan of a statement for machine 1; other parameters are null.
async fn plan(connection: &mut PgConnection, query: &str) -> sqlx::Result<Vec<String>> {
    sqlx::raw_sql(AssertSqlSafe(format!("prepare planned as {query}"))).execute(&mut *connection).await?;
    let types: Vec<String> = sqlx::query_scalar(
        "select unnest(parameter_types)::text from pg_prepared_statements where name = 'planned'",
    )
    .fetch_all(&mut *connection)
    .await?;
    let values: Vec<&str> = types.iter().map(|kind| if kind == "bigint" { "1" } else { "null" }).collect();
    let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    let plan = sqlx::query_scalar(AssertSqlSafe(format!("explain execute planned {values}")))
        .fetch_all(&mut *connection)
        .await?;
    sqlx::raw_sql("deallocate planned").execute(connection).await?;
    Ok(plan)
}
